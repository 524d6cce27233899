"""The open resources of a server, which its requests share."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

import anyio
import anyio.to_thread
from fastapi import Request

from api.control.accounts.passwords import Passwords
from api.control.accounts.sign_in_rules import OfferedWays
from api.control.checks.standings import Standings
from api.control.store import ControlStore
from api.http.clone_lines import CloneLines
from api.http.credentials import Authenticator
from api.http.intake import Intake
from api.http.responses import Reads
from api.identity_providers.sign_in import SignIn
from api.mail.delivery import MailDelivery
from api.threads import ThreadSlots
from ingest.probe import Reach

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Services:
    """The open resources of a server, which its requests share."""

    store: ControlStore
    standings: Standings
    authenticator: Authenticator
    reads: Reads
    passwords: Passwords
    mail: MailDelivery
    hashing: anyio.CapacityLimiter
    probing: anyio.CapacityLimiter
    reach: Reach
    checking: ThreadSlots
    # The public address of this deployment.
    app_url: str
    sign_in: SignIn
    offers_passwords: bool
    intake: Intake
    clone_lines: CloneLines

    @property
    def ways(self) -> OfferedWays:
        """The ways to sign in that the operator offers to everybody."""
        return OfferedWays(self.offers_passwords, bool(self.sign_in.deployment))

    async def hashed(self, work: Callable[[], Result]) -> Result:
        """The result of `work`, which hashes passwords. Few run at once, because each hash needs tens of megabytes."""
        return await anyio.to_thread.run_sync(work, limiter=self.hashing)


def services(request: Request) -> Services:
    """The services of the server that took the request."""
    found = request.state.services
    assert isinstance(found, Services)
    return found
