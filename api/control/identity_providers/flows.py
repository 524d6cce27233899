"""A browser's way to a provider and back: states and one-time codes, of which the database has hashes.

Nonce and PKCE verifier are derived from the state, so neither is stored. Keep out: cookies and addresses (api/auth),
the protocol (api/identity_providers), accounts (joining.py).
"""

import base64
import hmac
import secrets
from dataclasses import dataclass, field
from datetime import timedelta

from sqlalchemy import delete
from sqlalchemy.orm import Session

from api.control.accounts.invitations import InvitationRecord, pending
from api.control.accounts.tokens import signing_key
from api.control.errors import NotPossible
from api.control.issued_tokens import key_hash
from api.control.models import SignInCode, SignInFlow
from api.control.store import ControlStore

LIFETIME = timedelta(minutes=10)
CODE_LIFETIME = timedelta(minutes=1)
MAX_SECRET_LENGTH = 200
NO_FLOW = (
    "this sign-in is unknown, finished or older than 10 minutes, or it began in another browser; begin again at the "
    "sign-in page"
)
NO_CODE = (
    "this sign-in was completed already, is older than a minute, or began in another browser; begin again"
)


@dataclass(frozen=True, slots=True)
class FlowSecrets:
    """The secrets of one flow: what the provider gives back, and what proves that it answers this flow."""

    state: str = field(repr=False)
    nonce: str = field(repr=False)
    verifier: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Flow:
    """What a flow carries on its way."""

    provider: str
    device: str
    invitation_id: str | None
    invitation_hash: bytes | None


def new_browser() -> str:
    """A secret for the cookie of a browser."""
    return secrets.token_urlsafe(32)


def begin_flow(
    store: ControlStore, provider: str, browser: str, device: str, invitation: InvitationRecord | None
) -> FlowSecrets:
    """The secrets of a new flow in a browser. The invitation is accepted when the flow ends."""
    state = secrets.token_urlsafe(32)
    now = store.now()
    with store.session() as session:
        for table in (SignInFlow, SignInCode):
            session.execute(delete(table).where(table.expires_at <= now))
        session.add(
            SignInFlow(
                state_hash=key_hash(state),
                browser_hash=key_hash(browser),
                provider=provider,
                invitation_id=invitation.id if invitation else None,
                invitation_hash=key_hash(invitation.token) if invitation else None,
                device=device,
                expires_at=now + LIFETIME,
            )
        )
    return secrets_of(store, state)


def secrets_of(store: ControlStore, state: str) -> FlowSecrets:
    """The secrets of the flow with this state."""
    key = signing_key(store, "sign_in_flows")

    def derived(name: str) -> str:
        mac = hmac.digest(key, f"{name}\0{state}".encode(), "sha256")
        return base64.urlsafe_b64encode(mac).decode().rstrip("=")

    return FlowSecrets(state, derived("nonce"), derived("verifier"))


def end_flow(store: ControlStore, provider: str, state: str, browser: str) -> Flow:
    """The flow of a state. The state is used up in any case. Raises NotPossible."""
    with store.write_transaction() as session:
        row = session.get(SignInFlow, key_hash(state))
        if row is not None:
            session.delete(row)
    # Compared after the deletion is committed: a state that another browser tried is no longer valid.
    if (
        row is None
        or row.expires_at <= store.now()
        or row.provider != provider
        or not hmac.compare_digest(row.browser_hash, key_hash(browser))
    ):
        raise NotPossible(NO_FLOW)
    return Flow(row.provider, row.device, row.invitation_id, row.invitation_hash)


def make_code(
    store: ControlStore, session: Session, flow: Flow, browser: str, account_id: str, identity_id: str
) -> str:
    """A code with which the browser fetches the session of a recognized account."""
    code = secrets.token_urlsafe(32)
    session.add(
        SignInCode(
            code_hash=key_hash(code),
            browser_hash=key_hash(browser),
            account_id=account_id,
            provider=flow.provider,
            identity_id=identity_id,
            invitation_id=flow.invitation_id,
            invitation_hash=flow.invitation_hash,
            device=flow.device,
            expires_at=store.now() + CODE_LIFETIME,
        )
    )
    return code


def use_code(store: ControlStore, code: str, browser: str) -> SignInCode:
    """The row of a code. The code is used up in any case. Raises NotPossible."""
    with store.write_transaction() as session:
        row = session.get(SignInCode, key_hash(code))
        if row is not None:
            session.delete(row)
    if (
        row is None
        or row.expires_at <= store.now()
        or not hmac.compare_digest(row.browser_hash, key_hash(browser))
    ):
        raise NotPossible(NO_CODE)
    return row


def carried_invitation(store: ControlStore, id_: str | None, digest: bytes | None) -> InvitationRecord | None:
    """The invitation that a flow carried, if its link is still the same."""
    found = pending(store, id_) if id_ is not None else None
    if found is None or digest is None or not hmac.compare_digest(key_hash(found.token), digest):
        return None
    return found
