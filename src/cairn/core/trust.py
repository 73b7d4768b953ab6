"""What makes a memory suspect: it reads as an order to a model, or it comes from where anybody can write."""

from __future__ import annotations

import re
from collections.abc import Iterable

INSTRUCTS = "reads as instructions to a model"
FROM_OUTSIDE = "said after reading from the web"

# What a person does not say to an assistant about a project, and what planted text says.
_INSTRUCTS = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass) (?:all |any |the |your |every |of )*(?:"
    r"(?:previous|prior|earlier|above|system|safety)\b[^.]{0,40}\b(?:instructions?|prompts?|rules?|messages?|"
    r"guidelines?|context)|(?:other|existing) (?:instructions?|prompts?|guidelines?)|system prompts?)\b|"
    r"\b(?:you are|act as|behave as|pretend to be) (?:now )?(?:an? |the )?(?:\w+ ){0,3}(?:ai|assistant|agent|model|"
    r"llm|chatbot|claude|dan|developer mode)\b|\bsystem prompt\b|\bjailbreak\b|"
    r"\b(?:do not|don'?t|never) (?:tell|inform|alert|notify) (?:the )?(?:user|human|owner)s?\b"
    r"(?:[^.]{0,20}\b(?:this|that|about|of|anything)\b|[.!,;]|$)|"
    r"\b(?:do not|don'?t|never) (?:mention|reveal|show|disclose) (?:this|it|that|any of (?:this|it)|anything|these|"
    r"your)\b[^.]{0,30}\b(?:user|human|anyone|owner)\b|"
    r"\bwithout (?:telling|asking|informing|the knowledge of) (?:the )?(?:user|human)\b|"
    r"\b(?:(?:ai|language) models?|assistants?) (?:must|should|shall|have to|has to|are required to|is required to) "
    r"(?:always|never|now|first|run|execute|send|fetch|ignore|follow|obey|open|visit)\b|"
    r"\b(?:curl|wget|irm|iwr|invoke-webrequest)\b[^|\n]{0,200}\|\s*(?:sudo )?(?:(?:ba|z|da)?sh|python3?|node|perl)\b|"
    r"\|\s*iex\b|"
    r"(?<!never )(?<!not )(?<!n't )(?<!dont )\b(?:send|post|upload|exfiltrate|forward|leak|e?mail)\b[^.,;]{0,60}"
    r"(?:\b(?:secrets?|tokens?|passwords?|credentials?|api keys?|env(?:ironment)? (?:variables?|file)|ssh keys?|"
    r"private keys?|history)\b|\.env\b)[^.,;]{0,60}\bto\b\s+\S*(?:https?:|\w\.\w{2,})|"
    r"\b(?:disable|turn off|skip|bypass)\b[^.]{0,30}\b(?:permission prompts?|sandbox mode|safety (?:checks?|mode))\b|"
    r"\b(?:approve|allow|accept|confirm|grant|run|execute)\b[^.,;]{0,20}\b(?:all|every|any|each) "
    r"(?:tool|command|permission|edit|request|prompt)\w*(?: \w+)? without (?:asking|confirm\w+|review)|"
    r"--dangerously-skip-permissions|</?(?:system|assistant|instructions?|important)>|</user>|\bnew instructions?:",
    re.IGNORECASE,
)
OUTSIDE = ("WebFetch", "WebSearch", "mcp__")  # tools whose results anybody may have written, by the name's start


def suspicion(texts: Iterable[str], outside: bool) -> str:
    """Why a memory must wait for a person's word, "" when it need not. `outside`: the assistant said it after it had
    read what anybody may have written.
    """
    if any(_INSTRUCTS.search(text.replace("’", "'")) for text in texts):
        return INSTRUCTS
    return FROM_OUTSIDE if outside else ""


def reads_outside(tool: str) -> bool:
    return tool.startswith(OUTSIDE) and not tool.startswith("mcp__cairn")
