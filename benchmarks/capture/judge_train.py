"""Trains the judge on labelled real prompts, and writes capture/extractors/judge.npz. Needs torch (`pip install torch`)
and a GPU, or a day.

    python benchmarks/capture/judge_train.py FOLDER... [--out FILE] [--folds 5]

Each FOLDER holds prompts.jsonl (id, repo, before, prompt) and labels*.jsonl, a file for each reader (id, quote, kind,
grade 1 or 2). With `--folds` nothing is written: each repository is judged by a model that has not read it, and the
scores of all parts go to FILE as JSON. docs/judge.md says what the shipped one was trained on.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy
import torch
from labels import Prompt as Written
from labels import golds, sessions, stating
from torch import nn
from torch.nn import functional

from keepstone.capture.extractors import judge
from keepstone.claude_code.transcript import typed
from keepstone.language.prompt_parts import Part, parts
from keepstone.lib.bert import HEADS, WIDTH
from keepstone.recall.embeddings.minilm import LAYERS, MiniLM

SEEDS = (1, 2, 3, 4, 5, 6)  # the weights of these are averaged, which costs nothing at run time
EPOCHS, BATCH = 3, 32  # with 5 epochs it learns the training prompts by heart
RATE, HEAD_RATE, DECAY, WARMUP = 1e-4, 1e-3, 0.01, 0.06
SURE_WEIGHT = 2.0  # of a part that is worth remembering
PLAIN_SHARE = 0.5  # of the windows without a label that an epoch reads
KIND_WEIGHT = 0.3  # of the loss of kinds
WRITTEN_WEIGHT = 0.15  # of a part from the written development half
WRITTEN_SESSIONS = 6_000
HIDDEN = 128
SHARED = 0.6  # of a part's words that a label's quote has to share
# Kinds of the labels that are no kinds of memories.
KINDS = {"correction": "fact", "requirement": "convention", "constraint": "fact"}
GRADES = {2: 1.0, 1: 0.5}
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@dataclass(slots=True)
class Row:
    """A window: its tokens and, of each of its parts, the span, what it is told, the target and the kind (-1: none)."""

    repo: str
    ids: list[int]
    spans: list[tuple[int, int]]
    told: list[list[float]]
    targets: list[float]
    kinds: list[int]
    weight: float = 1.0
    scores: list[float] = field(default_factory=list)


class Tokens(judge.Judge):
    """Cuts prompts into windows as the judge does, with the whole vocabulary."""

    def __init__(self, encoder: MiniLM) -> None:
        encoder.tokenizer.no_truncation()
        self._tokenizer = encoder.tokenizer
        self._start, self._stop, self._unknown = (encoder.tokenizer.token_to_id(x) for x in ("[CLS]", "[SEP]", "[UNK]"))

    def rows(self, repo: str, said: Sequence[Part], before: str, labels: list[tuple[float, int]]) -> list[Row]:
        lead = self._ids(before)[-judge.BEFORE_TOKENS :]
        tokens = [self._ids(part.text)[: judge.WINDOW_TOKENS] or [self._unknown] for part in said]
        found, at = [], 0
        for window in self._windows(tokens, lead):
            here = labels[at : at + len(window.spans)]
            told = [self._told(at + number, len(said), lead) for number in range(len(here))]
            found.append(Row(repo, window.ids, window.spans, told, [y for y, _ in here], [k for _, k in here]))
            at += len(here)
        return found


def real(tokens: Tokens, folder: Path) -> list[Row]:
    readers = []
    for path in sorted(folder.glob("labels*.jsonl")):
        by_id = defaultdict(list)
        for line in filter(str.strip, path.read_text().split("\n")):
            label = json.loads(line)
            by_id[label["id"]].append(label)
        readers.append(by_id)
    found: list[Row] = []
    for line in filter(str.strip, (folder / "prompts.jsonl").read_text().split("\n")):
        prompt = json.loads(line)
        if said := parts(prompt["prompt"]):
            labels = targets(said, [reader[prompt["id"]] for reader in readers])
            found += tokens.rows(prompt["repo"], said, prompt["before"], labels)
    return found


def targets(said: Sequence[Part], readers: list[list[dict]]) -> list[tuple[float, int]]:
    """The mean of the readers' grades for each part, and the kind."""
    values, kinds = [0.0] * len(said), [-1] * len(said)
    for labels in readers:
        mine = [0.0] * len(said)
        for label in labels:
            for number, part in enumerate(said):
                if is_in(part.text, label["quote"]):
                    mine[number] = max(mine[number], GRADES[label["grade"]])
                    kinds[number] = judge.KINDS.index(KINDS.get(label["kind"], label["kind"]))
        values = [value + own / len(readers) for value, own in zip(values, mine, strict=True)]
    return list(zip(values, kinds, strict=True))


def is_in(text: str, quote: str) -> bool:
    own, told = (Counter(words.lower().split()) for words in (text, quote))
    both = (own & told).total()
    return both >= min(2, own.total()) and both >= SHARED * own.total() > 0


def written(tokens: Tokens) -> list[Row]:
    found: list[Row] = []
    for session in sessions("development")[:WRITTEN_SESSIONS]:
        reply, before = False, ""
        for number, turn in enumerate(session["turns"]):
            if "user" in turn:
                here = tuple(gold for gold in golds(session) if number in gold.turns)
                prompt = Written(typed(turn["user"]), reply, here)
                said = parts(prompt.text)
                states = stating(said, prompt)
                labels = [
                    (float(at in states), judge.KINDS.index(states[at]) if at in states else -1)
                    for at in range(len(said))
                ]
                found += tokens.rows("", said, before, labels)
            elif isinstance(turn.get("assistant"), str):
                before = turn["assistant"]
            reply = reply or "assistant" in turn
    for row in found:
        row.weight = WRITTEN_WEIGHT
    return found


class Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.inner, self.outer = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH, eps=1e-12), nn.LayerNorm(WIDTH, eps=1e-12)
        self.drop = nn.Dropout(0.1)

    def forward(self, states: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        count, longest, _ = states.shape
        heads = self.qkv(states).view(count, longest, 3, HEADS, WIDTH // HEADS).permute(2, 0, 3, 1, 4)
        context = functional.scaled_dot_product_attention(*heads, attn_mask=mask).transpose(1, 2)
        states = self.norm1(states + self.drop(self.out(context.reshape(count, longest, WIDTH))))
        return self.norm2(states + self.drop(self.outer(functional.gelu(self.inner(states)))))


class Net(nn.Module):
    """MiniLM with a head over [mean of the part's tokens; CLS; what is told]. It begins with MiniLM's weights."""

    def __init__(self, encoder: MiniLM) -> None:
        super().__init__()
        given = {name: torch.tensor(numpy.array(values)) for name, values in encoder.weights.items()}
        self.words = nn.Embedding.from_pretrained(given["embeddings.word_embeddings.weight"], freeze=False)
        places = given["embeddings.position_embeddings.weight"] + given["embeddings.token_type_embeddings.weight"][0]
        self.places = nn.Parameter(places[: judge.PLACES])
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.head, self.out = nn.Linear(2 * WIDTH + 3, HIDDEN), nn.Linear(HIDDEN, 1 + len(judge.KINDS))
        self.drop, self.head_drop = nn.Dropout(0.1), nn.Dropout(0.2)
        self._copy("norm", encoder._normal("embeddings.LayerNorm"))
        for number, layer in enumerate(encoder.layers):
            for name, one in zip(
                ("qkv", "out", "norm1", "inner", "outer", "norm2"),
                (layer.qkv, layer.out, layer.norm, layer.inner, layer.outer, layer.last_norm),
                strict=True,
            ):
                self._copy(f"layers.{number}.{name}", one)

    def _copy(self, name: str, given: object) -> None:
        own = self.get_submodule(name)
        own.weight.data = torch.tensor(numpy.array(given.weight))
        own.bias.data = torch.tensor(numpy.array(given.bias))

    def body(self) -> list[nn.Parameter]:
        return [one for name, one in self.named_parameters() if not name.startswith(("head.", "out."))]

    def forward(self, rows: Sequence[Row]) -> torch.Tensor:
        """The logits of each part of the rows, in order: worth remembering, and each kind."""
        longest = max(len(row.ids) for row in rows)
        ids = torch.tensor([row.ids + [0] * (longest - len(row.ids)) for row in rows], device=DEVICE)
        mask = torch.tensor([[at < len(row.ids) for at in range(longest)] for row in rows], device=DEVICE)
        states = self.drop(self.norm(self.words(ids) + self.places[:longest]))
        for layer in self.layers:
            states = layer(states, mask[:, None, None, :])
        of = [
            torch.cat((states[at, start:end].mean(0), states[at, 0], torch.tensor(told, device=DEVICE)))
            for at, row in enumerate(rows)
            for (start, end), told in zip(row.spans, row.told, strict=True)
        ]
        hidden = functional.gelu(self.head(self.head_drop(torch.stack(of))))
        return self.out(self.head_drop(hidden)).float()


def batches(rows: Sequence[Row], size: int, random: numpy.random.Generator) -> list[list[Row]]:
    """Rows of about one length together."""
    order = sorted(rows, key=lambda row: len(row.ids) + random.random() * 25)
    return [order[start : start + size] for start in range(0, len(order), size)]


def trained(rows: Sequence[Row], encoder: MiniLM, seed: int) -> Net:
    torch.manual_seed(0)
    net = Net(encoder).to(DEVICE).train()  # of every seed the same, so that their weights can be averaged
    torch.manual_seed(seed)
    random = numpy.random.default_rng(seed)
    head = [*net.head.parameters(), *net.out.parameters()]
    optimizer = torch.optim.AdamW(
        [{"params": net.body(), "lr": RATE}, {"params": head, "lr": HEAD_RATE}], weight_decay=DECAY
    )
    labelled = sum(any(row.targets) for row in rows)
    steps = math.ceil(EPOCHS * (labelled + PLAIN_SHARE * (len(rows) - labelled)) / BATCH) + EPOCHS
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, step / (WARMUP * steps)) * max(0.02, 1 - step / steps)
    )
    for _ in range(EPOCHS):
        read = [row for row in rows if any(row.targets) or random.random() < PLAIN_SHARE]
        for batch in random.permutation(numpy.array(batches(read, BATCH, random), dtype=object)):
            loss = loss_of(net, list(batch))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            schedule.step()
    return net.eval()


def loss_of(net: Net, rows: Sequence[Row]) -> torch.Tensor:
    with torch.autocast(DEVICE, torch.bfloat16):
        logits = net(rows)
    target = torch.tensor([y for row in rows for y in row.targets], device=DEVICE)
    kind = torch.tensor([k for row in rows for k in row.kinds], device=DEVICE)
    weight = torch.tensor([row.weight for row in rows for _ in row.targets], device=DEVICE)
    each = functional.binary_cross_entropy_with_logits(logits[:, 0], target, reduction="none")
    loss = (each * weight * (1 + (SURE_WEIGHT - 1) * target)).sum() / weight.sum()
    known = kind >= 0
    if known.any():
        kinds = functional.cross_entropy(logits[known, 1:], kind[known], reduction="none")
        loss = loss + KIND_WEIGHT * (kinds * weight[known]).mean()
    return loss


def averaged(nets: Sequence[Net]) -> Net:
    states = [net.state_dict() for net in nets]
    nets[0].load_state_dict({name: sum(state[name] for state in states) / len(states) for name in states[0]})
    return nets[0]


def whole(rows: Sequence[Row], encoder: MiniLM) -> Net:
    return averaged([trained(rows, encoder, seed) for seed in SEEDS])


def judged_by_others(rows: list[Row], more: list[Row], encoder: MiniLM, folds: int) -> None:
    """Fills in the scores of each row by a net that has read no row of its repository."""
    fold = {row.repo: int(hashlib.sha256(row.repo.encode()).hexdigest(), 16) % folds for row in rows}
    for number in range(folds):
        net = whole([row for row in rows if fold[row.repo] != number] + more, encoder)
        for row in (row for row in rows if fold[row.repo] == number):
            with torch.no_grad():
                row.scores = torch.sigmoid(net([row])[:, 0]).tolist()


def export(net: Net, encoder: MiniLM, path: Path) -> None:
    """Writes the weights in 8-bit integers, a scale a row, of the pieces of words in Latin letters."""
    state = {name: values.float().cpu().numpy() for name, values in net.state_dict().items()}
    numbers = encoder.tokenizer.get_vocab()
    pieces = sorted(numbers, key=numbers.__getitem__)
    kept = [numbers[piece] for piece in pieces if is_latin(piece)]
    made = {"pieces": numpy.frombuffer("\n".join(pieces[at] for at in kept).encode(), numpy.uint8)}
    made["type"] = numpy.zeros(WIDTH, numpy.float32)  # the places have it
    matrices = {"words": state.pop("words.weight")[kept], "places": state.pop("places")}
    for name, values in state.items():
        short = name.removeprefix("layers.")
        if values.ndim == 2 and name.startswith("layers."):
            matrices[short.removesuffix(".weight")] = values
        else:
            made[short] = values.astype(numpy.float16 if values.ndim == 2 else numpy.float32)
    for name, values in matrices.items():
        scale = numpy.maximum(numpy.abs(values).max(1), 1e-8) / 127
        made[name] = numpy.rint(values / scale[:, None]).astype(numpy.int8)
        made[f"{name}_scale"] = scale.astype(numpy.float16)
    numpy.savez(path, **made)


def is_latin(piece: str) -> bool:
    if piece in ("[PAD]", "[UNK]", "[CLS]", "[SEP]"):
        return True
    is_letters = all(ord(letter) < 0x250 or 0x2000 <= ord(letter) < 0x2300 for letter in piece)
    return is_letters and not piece.startswith("[unused") and piece != "[MASK]"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", nargs="+", type=Path)
    options.add_argument("--out", type=Path, default=judge.WEIGHTS)
    options.add_argument("--folds", type=int, default=0)
    given = options.parse_args()
    encoder = MiniLM()
    tokens = Tokens(encoder)
    rows = [row for folder in given.folder for row in real(tokens, folder)]
    more = written(tokens)
    print(f"{len(rows):,} windows of {len({row.repo for row in rows})} repositories, {len(more):,} written ones")
    if given.folds:
        judged_by_others(rows, more, encoder, given.folds)
        given.out.write_text(json.dumps([[row.repo, row.targets, row.scores] for row in rows]))
    else:
        export(whole(rows + more, encoder), encoder, given.out)


if __name__ == "__main__":
    main()
