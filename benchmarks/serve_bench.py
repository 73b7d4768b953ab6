"""`make bench-serve`: what a server on this machine bears, and that nothing it took is lost.

    python benchmarks/serve_bench.py [RATE] [SECONDS]

An open loop asks 400 times a second for 30 seconds, whatever comes back: half single memories, a quarter listings, 15 %
searches of two words, 10 % stores, both in the words that the memories there have. Then a crowd asks as fast as it is
answered, for 10 seconds. The baseline is the server's own 401, in the same run: what a request costs that Keepstone
does nothing for.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from place import Place
from small import RESULTS, sized

import data

RATE, SECONDS, CONNECTIONS = sized(400, 20), sized(30, 1), 512
CROWD, CROWD_SECONDS = sized(200, 5), sized(10, 1)
WARM_SECONDS = sized(3, 1)
TOKEN = "a-token-of-the-benchmark"
RESULT = RESULTS / "serve.json"


@dataclass
class Told:
    """What came back: statuses, milliseconds of what was answered, and the ids of what was stored."""

    statuses: Counter[int] = field(default_factory=Counter)
    took: list[float] = field(default_factory=list)
    stored: list[str] = field(default_factory=list)

    def figures(self) -> dict[str, object]:
        took = sorted(self.took) or [0.0]
        places = {"p50": 0.5, "p95": 0.95, "p99": 0.99}
        return {
            "statuses": {str(status): count for status, count in sorted(self.statuses.items())},
            **{f"{name}_ms": round(took[int(len(took) * share)], 1) for name, share in places.items()},
        }


class Asker:
    """One connection that is kept open."""

    def __init__(self, port: int, token: str = TOKEN) -> None:
        self.port = port
        self.token = token
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
        if self.streams is None:
            self.streams = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self.streams
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Token {self.token}\r\n"
        head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        told = await reader.readuntil(b"\r\n\r\n")
        length = int(re.search(rb"content-length: (\d+)", told)[1])  # type: ignore[index]
        return int(told.split(b" ", 2)[1]), await reader.readexactly(length)


def a_request(chance: random.Random, ids: list[str], number: int) -> tuple[str, str, bytes]:
    kind = chance.random()
    if kind < 0.10:
        text = f"{data.sentence(chance, 'fact')} {number}"
        return "POST", "/api/v1/memories", json.dumps({"narrative": text, "memory_type": "fact"}).encode()
    if kind < 0.25:
        return "GET", "/api/v1/memories/search?query=" + "%20".join(data.words(chance, 2)), b""
    if kind < 0.50:
        return "GET", "/api/v1/memories?limit=10", b""
    return "GET", f"/api/v1/memories/{chance.choice(ids)}", b""


async def _one(asker: Asker, request: tuple[str, str, bytes], since: float, told: Told) -> None:
    status, body = await asker.ask(*request)
    told.statuses[status] += 1
    told.took.append((time.perf_counter() - since) * 1000)
    if status == 201:
        told.stored.append(json.loads(body)["memory_id"])


async def steady(port: int, ids: list[str], rate: int, seconds: int) -> Told:
    """An open loop: each request has its moment, and its time counts from there."""
    told, chance, free = Told(), random.Random(1), asyncio.Queue[Asker]()
    for _ in range(CONNECTIONS):
        free.put_nowait(Asker(port))
    began = time.perf_counter()

    async def at(number: int) -> None:
        since = began + number / rate
        asker = await free.get()
        await _one(asker, a_request(chance, ids, number), since, told)
        free.put_nowait(asker)

    async with asyncio.TaskGroup() as group:
        for number in range(rate * seconds):
            await asyncio.sleep(max(0.0, began + number / rate - time.perf_counter()))
            group.create_task(at(number))
    return told


async def crowd(port: int, ids: list[str], seconds: int, token: str = TOKEN, many: int = CROWD) -> Told:
    """As many as ask at once, as fast as they are answered."""
    told, chance, until = Told(), random.Random(2), time.perf_counter() + seconds

    async def go_on(mine: int) -> None:
        asker, number = Asker(port, token), 1_000_000 * (mine + 1)
        while (since := time.perf_counter()) < until:
            number += 1
            await _one(asker, a_request(chance, ids, number), since, told)

    async with asyncio.TaskGroup() as group:
        for mine in range(many):
            group.create_task(go_on(mine))
    return told


def resident(pid: int) -> float:
    """Megabytes that a process holds."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def run(rate: int, seconds: int) -> dict[str, object]:
    with tempfile.TemporaryDirectory(prefix="keepstone-serve-") as folder:
        place = Place(Path(folder))
        command = [sys.executable, "-m", "keepstone", "serve", "--port", "0"]
        env = {**place.env, "KEEPSTONE_TOKEN": TOKEN}
        process = subprocess.Popen(command, cwd=place.project, env=env, stdout=subprocess.PIPE, text=True)
        try:
            port = int(re.search(r":(\d+)", process.stdout.readline())[1])  # type: ignore[index,union-attr]
            return {"rate": rate, **asyncio.run(_measured(process.pid, port, rate, seconds))}
        finally:
            process.terminate()
            process.wait(30)


async def _measured(pid: int, port: int, rate: int, seconds: int) -> dict[str, object]:
    _, body = await Asker(port).ask("GET", "/api/v1/memories?limit=100")
    ids = [one["memory_id"] for one in json.loads(body)["data"]]
    found: dict[str, object] = {"refused": (await crowd(port, ids, WARM_SECONDS, "wrong", 1)).figures()}
    await steady(port, ids, rate, WARM_SECONDS)  # everything is loaded then
    before = resident(pid)
    calm = await steady(port, ids, rate, seconds)
    found |= {"steady": calm.figures(), "mb_before": round(before), "mb_after": round(resident(pid))}
    full = await crowd(port, ids, CROWD_SECONDS)
    found |= {"crowd": full.figures(), "mb_crowd": round(resident(pid))}
    found["crowd_per_second"] = round(full.statuses[200] / CROWD_SECONDS + full.statuses[201] / CROWD_SECONDS)
    stored = calm.stored + full.stored
    statuses = [(await Asker(port).ask("GET", f"/api/v1/memories/{one}"))[0] for one in stored]
    return found | {"stored": len(stored), "lost": sum(status != 200 for status in statuses)}


def main() -> None:
    given = [int(word) for word in sys.argv[1:3]]
    rate, seconds = given + [RATE, SECONDS][len(given) :]
    found = run(rate, seconds)
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps(found, indent=2) + "\n")
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
