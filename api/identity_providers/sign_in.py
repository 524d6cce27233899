"""Sign-in with any kind of provider, for requests that wait: bounded in time, and few at once for each provider.

Keep out: what a kind does (openid_connect.py, github.py), states and accounts (control/identity_providers).
"""

from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

import anyio
import anyio.to_thread

from api.control.identity_providers.flows import FlowSecrets
from api.control.identity_providers.joining import Identity
from api.control.identity_providers.kinds import ProviderKind
from api.identity_providers import github, openid_connect
from api.identity_providers.failures import ProviderDown
from api.identity_providers.metadata import Issuers
from api.identity_providers.providers import SignInProvider
from ingest.probe import Reach

Result = TypeVar("Result")

ANSWER_SECONDS = 20.0
"""Longer than one slow answer; browsers and proxies wait for 60."""
AT_ONCE, AT_ONCE_EACH = 32, 4
"""A provider that hangs keeps at most this many threads."""
MAX_LIMITERS = 1000


class SignIn:
    """The providers of a process."""

    def __init__(
        self,
        deployment: tuple[SignInProvider, ...],
        reach: Reach,
        *,
        app_url: str,
        now: Callable[[], datetime],
    ) -> None:
        self.deployment = {one.id: one for one in deployment}
        self.issuers = Issuers(reach)
        self.app_url, self._now = app_url, now
        self._all = anyio.CapacityLimiter(AT_ONCE)
        self._each: OrderedDict[str, anyio.CapacityLimiter] = OrderedDict()

    def redirect(self, provider_id: str) -> str:
        """The callback address of a provider, which its administrator registers there."""
        return f"{self.app_url}/auth/callback/{provider_id}"

    async def address(self, provider: SignInProvider, secrets: FlowSecrets) -> str:
        """The address to which a browser goes. Raises SignInFailed."""
        redirect = self.redirect(provider.id)
        if provider.kind is ProviderKind.GITHUB:
            return github.authorization_address(provider, redirect, secrets)
        return await self._bounded(
            provider,
            lambda: openid_connect.authorization_address(self.issuers, provider, redirect, secrets),
        )

    async def identity(
        self, provider: SignInProvider, secrets: FlowSecrets, code: str, named_issuer: str | None
    ) -> Identity:
        """The identity behind the code of a callback. Raises SignInFailed."""
        redirect = self.redirect(provider.id)
        if provider.kind is ProviderKind.GITHUB:
            return await self._bounded(
                provider,
                lambda: github.identity(self.issuers, provider, redirect, secrets, code, named_issuer),
            )
        return await self._bounded(
            provider,
            lambda: openid_connect.identity(
                self.issuers, provider, redirect, secrets, code, named_issuer, self._now()
            ),
        )

    async def check(self, provider: SignInProvider) -> None:
        """Ask a new issuer for its metadata, past what is kept. Raises SignInFailed."""
        if provider.kind is not ProviderKind.GITHUB:
            await self._bounded(provider, lambda: self.issuers.fetch(provider))

    async def _bounded(self, provider: SignInProvider, work: Callable[[], Result]) -> Result:
        try:
            with anyio.fail_after(ANSWER_SECONDS):
                async with self._limiter(provider.id):
                    # A thread that waits for the provider ends later, with the timeouts of its requests.
                    return await anyio.to_thread.run_sync(work, limiter=self._all, abandon_on_cancel=True)
        except TimeoutError:
            raise ProviderDown(f"{provider.name} does not answer in time: try again later") from None

    def _limiter(self, provider_id: str) -> anyio.CapacityLimiter:
        found = self._each.get(provider_id)
        if found is None:
            found = self._each[provider_id] = anyio.CapacityLimiter(AT_ONCE_EACH)
        self._each.move_to_end(provider_id)
        while len(self._each) > MAX_LIMITERS:
            self._each.popitem(last=False)
        return found
