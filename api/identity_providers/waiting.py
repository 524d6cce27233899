"""Threads that wait for providers: few at once for each organization, and never those of the deployment's providers.

Anybody can begin a sign-in, and an organization's provider may be made to answer slowly, so one organization leaves the
threads of others alone. Keep out: what is asked (sign_in.py), timeouts of requests (ingest).
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import TypeVar

import anyio

from api.identity_providers.failures import FailureKind, unreachable

Result = TypeVar("Result")

ANSWER_SECONDS = 20.0
"""For all requests of one step of a sign-in; browsers and proxies wait for 60."""
EACH_ORGANIZATION, ALL_ORGANIZATIONS = 4, 32
EACH_OF_DEPLOYMENT = 8
"""One provider of the deployment signs in the people of all organizations."""
MAX_IDLE = 1000


class Waiting:
    """Runs what waits for providers in threads. A thread keeps its place until it ends, also where nobody waits."""

    def __init__(self) -> None:
        self._threads: ThreadPoolExecutor | None = None
        self._organizations = anyio.CapacityLimiter(ALL_ORGANIZATIONS)
        self._each: dict[tuple[str, str], anyio.CapacityLimiter] = {}

    async def result(
        self, name: str, work: Callable[[], Result], *, organization: str | None, provider: str
    ) -> Result:
        """The result of `work` for a provider with this name; without an organization it is the deployment's.

        Raises ProviderDown after ANSWER_SECONDS, and what `work` raises.
        """
        try:
            with anyio.fail_after(ANSWER_SECONDS):
                if organization is None:
                    places = [self._limiter(("deployment", provider), EACH_OF_DEPLOYMENT)]
                else:
                    own = self._limiter(("organization", organization), EACH_ORGANIZATION)
                    places = [own, self._organizations]
                return await asyncio.wrap_future(await self._begun(work, places))
        except TimeoutError:
            raise unreachable(
                name, FailureKind.UNREACHABLE, f"no answer within {ANSWER_SECONDS:g} s"
            ) from None

    async def _begun(self, work: Callable[[], Result], places: list[anyio.CapacityLimiter]) -> Future[Result]:
        """The work in a thread, once all places are free. They are free again when it ends."""
        holder, taken = object(), list[anyio.CapacityLimiter]()

        def release() -> None:
            for place in taken:
                place.release_on_behalf_of(holder)

        try:
            for place in places:
                await place.acquire_on_behalf_of(holder)
                taken.append(place)
            begun = self._pool().submit(work)
        except BaseException:
            release()
            raise
        loop = asyncio.get_running_loop()

        def ended(_: Future[Result]) -> None:
            # The service has ended meanwhile: nobody waits for a place.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(release)

        begun.add_done_callback(ended)
        return begun

    def _pool(self) -> ThreadPoolExecutor:
        if self._threads is None:
            # Places bound the threads; there are five kinds of providers of a deployment.
            self._threads = ThreadPoolExecutor(
                ALL_ORGANIZATIONS + 5 * EACH_OF_DEPLOYMENT, thread_name_prefix="sign-in"
            )
        return self._threads

    def _limiter(self, key: tuple[str, str], places: int) -> anyio.CapacityLimiter:
        found = self._each.get(key)
        if found is None:
            if len(self._each) >= MAX_IDLE:
                self._each = {one: limiter for one, limiter in self._each.items() if _is_used(limiter)}
            found = self._each[key] = anyio.CapacityLimiter(places)
        return found


def _is_used(limiter: anyio.CapacityLimiter) -> bool:
    return limiter.borrowed_tokens > 0 or limiter.statistics().tasks_waiting > 0
