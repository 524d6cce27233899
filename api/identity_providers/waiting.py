"""Waiting for providers: few threads at once for each organization, and never those of the deployment's providers.

Anybody can begin a sign-in, and an organization's provider may be made to answer slowly, so one organization leaves the
threads of others alone. Keep out: what is asked (sign_in.py), the threads (api/threads.py), timeouts of requests
(ingest).
"""

from collections.abc import Callable
from typing import TypeVar

import anyio

from api.identity_providers.failures import FailureKind, unreachable
from api.threads import ThreadSlots, waited

Result = TypeVar("Result")

ANSWER_SECONDS = 20.0
"""For all requests of one step of a sign-in; browsers and proxies wait for 60."""
EACH_ORGANIZATION, ALL_ORGANIZATIONS = 4, 32
EACH_OF_DEPLOYMENT, ALL_OF_DEPLOYMENT = 8, 40
"""One provider of the deployment signs in the people of all organizations. There are five kinds, each at most once."""


class Waiting:
    """Runs what waits for providers in threads. A thread keeps its slot until it ends, also where nobody waits."""

    def __init__(self) -> None:
        self._organizations = ThreadSlots(EACH_ORGANIZATION, ALL_ORGANIZATIONS)
        self._deployment = ThreadSlots(EACH_OF_DEPLOYMENT, ALL_OF_DEPLOYMENT)

    async def result(
        self, name: str, work: Callable[[], Result], *, organization: str | None, provider: str
    ) -> Result:
        """The result of `work` for a provider with this name; without an organization it is the deployment's.

        Raises ProviderDown after ANSWER_SECONDS, and what `work` raises.
        """
        owned = (
            self._deployment.of(provider) if organization is None else self._organizations.of(organization)
        )
        try:
            with anyio.fail_after(ANSWER_SECONDS):
                return await waited(work, owned)
        except TimeoutError:
            raise unreachable(
                name, FailureKind.UNREACHABLE, f"no answer within {ANSWER_SECONDS:g} s"
            ) from None
