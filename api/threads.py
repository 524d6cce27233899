"""Threads that wait for hosts of others. They hold up neither the requests of others nor the end of the process.

Python waits for the threads of a pool before it ends, and anyio's worker threads are no daemons either: a host that
answers slowly would delay each stop of the server. Keep out: what is asked, and timeouts of requests (ingest).
"""

import asyncio
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import TypeVar

import anyio

Result = TypeVar("Result")

MAX_IDLE = 1000


class ThreadSlots:
    """Slots for waiting threads: a few for each owner, and more for all owners together."""

    def __init__(self, each: int, together: int) -> None:
        self._each, self._together = each, anyio.CapacityLimiter(together)
        self._owned: dict[str, anyio.CapacityLimiter] = {}

    def of(self, owner: str) -> tuple[anyio.CapacityLimiter, anyio.CapacityLimiter]:
        """The slots that a thread of this owner takes."""
        found = self._owned.get(owner)
        if found is None:
            if len(self._owned) >= MAX_IDLE:
                self._owned = {one: limiter for one, limiter in self._owned.items() if _is_used(limiter)}
            found = self._owned[owner] = anyio.CapacityLimiter(self._each)
        return found, self._together


async def waited(work: Callable[[], Result], slots: Sequence[anyio.CapacityLimiter]) -> Result:
    """The result of `work` in a thread, once all slots are free.

    The thread keeps its slots until it ends, also where nobody waits for it any more.
    """
    holder, taken = object(), list[anyio.CapacityLimiter]()

    def release() -> None:
        for slot in taken:
            slot.release_on_behalf_of(holder)

    try:
        for slot in slots:
            await slot.acquire_on_behalf_of(holder)
            taken.append(slot)
        begun = _begun(work)
    except BaseException:
        release()
        raise
    loop = asyncio.get_running_loop()

    def ended(_: Future[Result]) -> None:
        # The service has ended meanwhile: nobody waits for a slot.
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(release)

    begun.add_done_callback(ended)
    return await asyncio.wrap_future(begun)


def _begun(work: Callable[[], Result]) -> Future[Result]:
    """The work in a thread that ends with the process."""
    begun: Future[Result] = Future()

    def run() -> None:
        if not begun.set_running_or_notify_cancel():
            return
        try:
            result = work()
        except BaseException as error:  # noqa: BLE001 - as a pool would: nobody else waits for it
            begun.set_exception(error)
        else:
            begun.set_result(result)

    threading.Thread(target=run, name="waits-for-a-host", daemon=True).start()
    return begun


def _is_used(limiter: anyio.CapacityLimiter) -> bool:
    return limiter.borrowed_tokens > 0 or limiter.statistics().tasks_waiting > 0
