"""Sign-ins with providers whose answers tests make up."""

from dataclasses import dataclass

from api.control.accounts.invitations import InvitationRecord
from api.control.accounts.sessions import find_by_hash
from api.control.accounts.sign_in_rules import OfferedWays
from api.control.identity_providers.flows import begin_flow, end_flow, new_browser
from api.control.identity_providers.joining import Identity, complete_sign_in, recognize_identity
from api.control.identity_providers.kinds import ProviderKind
from api.control.identity_providers.providers import NewProvider, add_provider
from api.control.identity_providers.records import ProviderRecord
from api.control.issued_tokens import key_hash
from api.control.principals import Principal
from api.control.store import ControlStore
from tests.api.people import EVERY_WAY, join, principal

ISSUER = "https://login.example"


@dataclass(frozen=True)
class ProviderSession:
    """A session that a provider began."""

    account: str
    token: str

    def principal(self, store: ControlStore) -> Principal | None:
        """The caller of a request with it now; None for an ended one."""
        found = find_by_hash(store, key_hash(self.token))
        return found[2] if found else None


def recognized(
    store: ControlStore,
    subject: str,
    address: str,
    provider: ProviderRecord | None = None,
    invitation: InvitationRecord | None = None,
    ways: OfferedWays = EVERY_WAY,
) -> tuple[str, str]:
    """The one-time code for somebody, and the browser."""
    way = provider.id if provider else "deployment:openid_connect"
    browser = new_browser()
    flow = end_flow(store, way, begin_flow(store, way, browser, "a test", invitation).state, browser)
    identity = Identity(ISSUER, subject, "Ada", (address,))
    return recognize_identity(store, provider, identity, flow, browser, ways), browser


def signed_in(
    store: ControlStore,
    address: str,
    provider: ProviderRecord | None = None,
    invitation: InvitationRecord | None = None,
) -> ProviderSession:
    """The session of somebody whom the provider knows by this address."""
    code, browser = recognized(store, address, address, provider, invitation)
    done = complete_sign_in(store, code, browser, EVERY_WAY)
    return ProviderSession(done.account.id, done.session.token)


def added(
    store: ControlStore, organization: str, role: str = "admin", *, name: str = "Acme"
) -> ProviderRecord:
    """A new provider. That of an admin does not sign in owners."""
    wanted = NewProvider(ProviderKind.OPENID_CONNECT, name, ISSUER, "eas", "s3cret")
    return add_provider(store, principal(store, join(store, organization, role)), organization, wanted)
