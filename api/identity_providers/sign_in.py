"""Sign-in with any kind of provider, for requests that wait.

Keep out: what a kind does (openid_connect.py, github.py), how many are asked at once (waiting.py), states and accounts
(control/identity_providers).
"""

from collections.abc import Callable
from datetime import datetime
from typing import TypeVar

from api.control.identity_providers.flows import FlowSecrets
from api.control.identity_providers.joining import Identity
from api.control.identity_providers.kinds import ProviderKind
from api.identity_providers import github, openid_connect
from api.identity_providers.metadata import Issuers
from api.identity_providers.providers import SignInProvider
from api.identity_providers.waiting import Waiting
from ingest.probe import Reach

Result = TypeVar("Result")


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
        self._waiting = Waiting()

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
        own = provider.organization
        return await self._waiting.result(
            provider.name,
            work,
            # By organization: providers that are not stored yet have no id.
            organization=own.organization_id if own else None,
            provider=provider.id,
        )
