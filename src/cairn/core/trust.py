"""What makes a memory suspect: it reads as an order to a model, or it comes from where anybody can write."""

from __future__ import annotations

import re
from collections.abc import Iterable

INSTRUCTS = "reads as instructions to a model"
FROM_OUTSIDE = "said after reading from the web"

# What a person does not say to an assistant about a project, and what planted text says.
_INSTRUCTS = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass) (?:all |any |the |your |every )*(?:previous|prior|earlier|"
    r"above|other|"
    r"existing|system|safety)\b[^.]{0,40}\b(?:instructions?|prompts?|rules?|messages?|guidelines?|context)\b|"
    r"\b(?:you are|act as|behave as|pretend to be) (?:now )?(?:an? |the )?(?:\w+ ){0,3}(?:ai|assistant|agent|model|"
    r"llm|chatbot|claude|dan|developer mode)\b|\bsystem prompt\b|\bjailbreak\b|"
    r"\b(?:do not|don'?t|never) (?:tell|inform|mention|reveal|show|ask|alert|warn)\b[^.]{0,30}\b(?:the )?(?:user|"
    r"human|"
    r"anyone|owner)\b|\bwithout (?:telling|asking|informing|the knowledge of) (?:the )?(?:user|human)\b|"
    r"\b(?:ai|language) models?\b[^.]{0,30}\b(?:must|should|shall|have to|are required)\b|"
    r"\bassistants? (?:must|should|shall|have to|will) (?:always|never|now|first|run|execute|send|fetch)\b|"
    r"\b(?:curl|wget|irm|iwr|invoke-webrequest)\b[^|\n]{0,200}\|\s*(?:sudo )?(?:ba|z|da)?sh\b|\|\s*iex\b|"
    r"\b(?:send|post|upload|exfiltrate|forward|leak|e?mail)\b[^.]{0,60}\b(?:secrets?|tokens?|passwords?|credentials?|"
    r"api keys?|env(?:ironment)? (?:variables?|file)|\.env|ssh keys?|private keys?|history)\b[^.]{0,60}\b(?:to|"
    r"at)\b\s+\S*"
    r"(?:https?:|\w\.\w{2,})|"
    r"\b(?:disable|turn off|skip|bypass)\b[^.]{0,30}\b(?:permission|sandbox|safety|security) (?:checks?|prompts?|"
    r"mode)\b|"
    r"--dangerously-skip-permissions|</?(?:system|assistant|user|instructions?|important)>|\bnew instructions?:",
    re.IGNORECASE,
)
OUTSIDE = ("WebFetch", "WebSearch", "mcp__")  # tools whose results anybody may have written, by the name's start


def suspicion(texts: Iterable[str], outside: bool) -> str:
    """Why a memory must wait for a person's word, "" when it need not. `outside`: the assistant said it after it had
    read what anybody may have written.
    """
    if any(_INSTRUCTS.search(text) for text in texts):
        return INSTRUCTS
    return FROM_OUTSIDE if outside else ""


def reads_outside(tool: str) -> bool:
    return tool.startswith(OUTSIDE) and not tool.startswith("mcp__cairn")
