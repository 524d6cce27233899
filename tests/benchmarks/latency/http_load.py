"""A light HTTP client that shares two cores with the measured server: raw sockets, no parsing during the load.

Add: how requests are sent and timed. Keep out: which requests and which bars (bench_api.py).
"""

import asyncio
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True)
class Outcome:
    """The result of a load: seconds per answered request, failures, and builds in the answers."""

    seconds: list[float] = field(default_factory=list)
    by_route: dict[str, list[float]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    builds: set[str] = field(default_factory=set)
    elapsed: float = 0.0

    def percentile(self, share: float) -> float:
        """Milliseconds at this quantile of the requests."""
        ordered = sorted(self.seconds)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] * 1000

    @property
    def rate(self) -> float:
        """Answers per second."""
        return len(self.seconds) / self.elapsed


async def _reader(
    port: int,
    header: str,
    pick: Callable[[random.Random], tuple[str, str]],
    pause: tuple[float, float] | None,
    until: float,
    seed: int,
    outcome: Outcome,
) -> None:
    dice = random.Random(seed)
    incoming, outgoing = await asyncio.open_connection("127.0.0.1", port)
    while time.perf_counter() < until:
        if pause is not None:
            await asyncio.sleep(dice.uniform(*pause))
        route, path = pick(dice)
        started = time.perf_counter()
        outgoing.write(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{header}\r\n\r\n".encode())
        head = await incoming.readuntil(b"\r\n\r\n")
        headers = {
            name.lower(): value.strip()
            for name, _, value in (line.partition(":") for line in head.decode("latin-1").split("\r\n")[1:])
        }
        body = await incoming.readexactly(int(headers["content-length"]))
        seconds = time.perf_counter() - started
        outcome.seconds.append(seconds)
        outcome.by_route.setdefault(route, []).append(seconds)
        outcome.builds.add(headers.get("x-warehouse-build", ""))
        if b" 200 " not in head[:16]:
            outcome.errors.append(f"{path}: {head[:40]!r} {body[:200]!r}")
    outgoing.close()


async def load(
    port: int,
    credential: str,
    pick: Callable[[random.Random], tuple[str, str]],
    *,
    readers: int,
    seconds: float,
    pause: tuple[float, float] | None,
) -> Outcome:
    """Run readers with one connection each for some seconds. Each pauses before every request (seconds).

    `credential` is the key of a program, or the lines of a header that a browser sends.
    """
    header = credential if ": " in credential else f"Authorization: Bearer {credential}"
    outcome = Outcome()
    started = time.perf_counter()
    await asyncio.gather(
        *(_reader(port, header, pick, pause, started + seconds, seed, outcome) for seed in range(readers))
    )
    outcome.elapsed = time.perf_counter() - started
    return outcome
