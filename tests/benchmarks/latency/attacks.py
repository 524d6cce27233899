"""Attacks on a running server by heads without end and by half-sent requests, as another client of this machine.

    python -m tests.benchmarks.latency.attacks PORT

Runs until it is ended. Keep out: the readers beside it and the bars (bench_api.py).
"""

import asyncio
import contextlib
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

# Not the address of the readers, so that limits per client do not touch them.
ATTACKER = ("127.0.0.2", 0)
HEADS = 4
HEAD_BYTES = 60_000_000
HALF_SENT = 300
CHUNK = b"X-Filler: " + b"a" * 65_000 + b"\r\n"
# Until a closed connection is opened again.
PAUSE = 1.0


async def _send_head(port: int) -> None:
    """Send a head of 60 MB, or as much of it as the server takes."""
    _, outgoing = await asyncio.open_connection("127.0.0.1", port, local_addr=ATTACKER)
    try:
        outgoing.write(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\n")
        for _ in range(HEAD_BYTES // len(CHUNK)):
            outgoing.write(CHUNK)
            await outgoing.drain()
    finally:
        outgoing.close()


async def _send_half(port: int) -> None:
    """Send the first half of a request and wait until the server closes the connection."""
    incoming, outgoing = await asyncio.open_connection("127.0.0.1", port, local_addr=ATTACKER)
    try:
        outgoing.write(b"GET /readyz HTTP/1.1\r\nHost: loc")
        await outgoing.drain()
        await incoming.read()
    finally:
        outgoing.close()


async def _attack(port: int) -> None:
    async def again(send: Callable[[int], Awaitable[None]], delay: float) -> None:
        await asyncio.sleep(delay)
        while True:
            with contextlib.suppress(OSError):
                await send(port)
            await asyncio.sleep(PAUSE)

    # Opened over a second, so that the backlog of the system does not fill.
    await asyncio.gather(
        *(again(_send_head, number / HEADS) for number in range(HEADS)),
        *(again(_send_half, number / HALF_SENT) for number in range(HALF_SENT)),
    )


@contextmanager
def attacking(port: int) -> Iterator[None]:
    """Attack the server from another process for the block."""
    process = subprocess.Popen([sys.executable, "-m", "tests.benchmarks.latency.attacks", str(port)])
    try:
        yield
    finally:
        process.kill()
        process.wait()


if __name__ == "__main__":
    asyncio.run(_attack(int(sys.argv[1])))
