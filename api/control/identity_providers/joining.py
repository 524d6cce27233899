"""The account of an identity that a provider vouches for, and its session.

Accounts are joined by a verified address once; from then on the subject identifies. A provider of the deployment may
vouch for any address. A provider of an organization may be anything that an admin set up, so it signs in only members
of that organization and invited people without an account of their own, its sessions reach nothing else, and it changes
nothing of the account. An account that it makes is unverified: the owner of the address takes it over (takeovers.py).
"""

from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from api.control.accounts.account_names import proposed_name
from api.control.accounts.accounts import AccountRecord, account, email_key, find_by_email
from api.control.accounts.invitations import InvitationRecord
from api.control.accounts.sessions import NewSession, begin_session
from api.control.accounts.sign_in_rules import DEPLOYMENT, NOT_OWNERS, OfferedWays
from api.control.accounts.takeovers import as_principal, take_over
from api.control.accounts.verified_addresses import is_of_somebody, note_verified, note_vouched
from api.control.audit import Target, record_for
from api.control.errors import InvalidSetting, NotAllowed, NotPossible
from api.control.identity_providers.dead_ends import own_first, unproven
from api.control.identity_providers.endings import may_vouch
from api.control.identity_providers.flows import Flow, carried_invitation, make_code, use_code
from api.control.identity_providers.records import ProviderRecord, record_of
from api.control.identity_providers.unverified import NoVerifiedAddress, WithoutAddress
from api.control.ids import new_id
from api.control.models import Account, AccountIdentity, IdentityProvider, Member, Organization
from api.control.permissions import Role
from api.control.store import ControlStore

MAX_SUBJECT_LENGTH = 255
CHANGED = "this identity provider was just changed or removed; sign in again"
OTHER_DOMAIN = (
    "this identity provider may not vouch for addresses of your domain; ask an admin of the organization"
)
AGAIN = "somebody signed up with this address at the same moment; sign in again"


@dataclass(frozen=True, slots=True)
class Identity:
    """A person as a provider knows them. `addresses` are verified, the preferred one first."""

    issuer: str
    subject: str
    name: str
    addresses: tuple[str, ...]
    without_address: WithoutAddress | None = None


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A session that a provider began, with its account and the invitation that the flow carried.

    `had_invitation` is also true where that one is no longer open. `is_restricted`: a provider of an organization began
    the session.
    """

    account: AccountRecord
    session: NewSession
    invitation: InvitationRecord | None
    had_invitation: bool
    is_restricted: bool


def recognize_identity(
    store: ControlStore,
    provider: ProviderRecord | None,
    identity: Identity,
    flow: Flow,
    browser: str,
    ways: OfferedWays,
) -> str:
    """The one-time code for the session of an identity. `provider` is None for one of the deployment.

    Raises NotPossible and NotAllowed, and then nothing has changed.
    """
    if not 1 <= len(identity.subject) <= MAX_SUBJECT_LENGTH or not identity.subject.isprintable():
        raise NotPossible("the identity provider names nobody; ask its administrator")
    invitation = carried_invitation(store, flow.invitation_id, flow.invitation_hash)
    scope = provider.id if provider else DEPLOYMENT
    try:
        with store.write_transaction(provider.organization_id if provider else None) as session:
            if provider is not None:
                present = session.get(IdentityProvider, provider.id)
                if present is None or record_of(present) != provider:
                    raise NotPossible(CHANGED)
            row = session.scalar(
                select(AccountIdentity).where(
                    AccountIdentity.scope == scope,
                    AccountIdentity.issuer == identity.issuer,
                    AccountIdentity.subject == identity.subject,
                )
            )
            if row is None:
                address = _address(provider, identity, invitation)
                if provider is None:
                    found = _joined(session, store, identity, address)
                else:
                    found = _of_organization(session, store, provider, identity, address, invitation, ways)
                row = _link(session, store, provider, identity, found)
            elif provider is not None:
                found = session.get_one(Account, row.account_id)
                if not _is_vouchable(provider, found.email):
                    raise NotAllowed(OTHER_DOMAIN)
                _refuse_stranger(session, store, provider, found, found.email, invitation, ways)
            return make_code(store, session, flow, browser, row.account_id, row.id)
    except IntegrityError:
        raise NotPossible(AGAIN) from None


def complete_sign_in(store: ControlStore, code: str, browser: str, ways: OfferedWays) -> SignedIn:
    """The session that a code stands for. Raises NotPossible, and NotAllowed for somebody who may no longer have it."""
    used = use_code(store, code, browser)
    invitation = carried_invitation(store, used.invitation_id, used.invitation_hash)
    with store.session() as session:
        found = session.get(AccountIdentity, used.identity_id)
    only = found.organization_id if found is not None else None
    # In the transaction of memberships: nobody leaves or becomes an owner meanwhile.
    with store.write_transaction(only) as session:
        # A take-over of the account waits, or has deleted the link.
        row = session.get(Account, used.account_id, with_for_update={"read": True})
        link = session.get(AccountIdentity, used.identity_id)
        if link is None or row is None:
            raise NotPossible(CHANGED)
        if only is not None:
            provider = record_of(session.get_one(IdentityProvider, link.scope))
            _refuse_stranger(session, store, provider, row, row.email, invitation, ways)
        made = begin_session(
            store, used.account_id, used.device,
            signed_in_by=used.provider, only_organization_id=only, within=session,
        )  # fmt: skip
    return SignedIn(
        account(store, used.account_id), made, invitation, used.invitation_id is not None, only is not None
    )


def _address(provider: ProviderRecord | None, identity: Identity, invitation: InvitationRecord | None) -> str:
    """The address to join by: the invited one if it is verified, else the preferred one."""
    known = [address for address in identity.addresses if _is_vouchable(provider, address)]
    if not known:
        if provider is not None and identity.addresses:
            raise NotAllowed(OTHER_DOMAIN)
        raise NoVerifiedAddress(identity.without_address)
    keys = [email_key(address) for address in known]
    if invitation is not None and email_key(invitation.email) in keys:
        return known[keys.index(email_key(invitation.email))]
    return known[0]


def _is_vouchable(provider: ProviderRecord | None, address: str) -> bool:
    try:
        key = email_key(address)
    except InvalidSetting:
        return False
    return provider is None or may_vouch(provider.domains, key)


def _joined(session: Session, store: ControlStore, identity: Identity, address: str) -> Account:
    """The account of a verified address, for a provider of the deployment."""
    found = find_by_email(session, address)
    if found is None:
        return _new_account(session, store, identity, address, is_verified=True)
    if found.verified_at is None:
        take_over(session, store, found, proposed_name(address, identity.name))
        note_verified(session, store.now(), found)
        return found
    _refuse_namesake(session, DEPLOYMENT, identity, found)
    return found


def _refuse_namesake(session: Session, scope: str, identity: Identity, found: Account) -> None:
    """Raise NotAllowed where the provider knows the account as somebody else: companies give addresses again."""
    other = select(AccountIdentity.id).where(
        AccountIdentity.account_id == found.id,
        AccountIdentity.scope == scope,
        AccountIdentity.issuer == identity.issuer,
    )
    if session.scalar(other.limit(1)) is not None:
        raise NotAllowed(
            "the account with your address belongs to another person of this identity provider; if the address passed "
            "to you, ask the operator"
        )


def _of_organization(
    session: Session,
    store: ControlStore,
    provider: ProviderRecord,
    identity: Identity,
    address: str,
    invitation: InvitationRecord | None,
    ways: OfferedWays,
) -> Account:
    """The account of an address that a provider of an organization vouches for: a member's, or an invited person's."""
    found = find_by_email(session, address)
    if found is not None:
        # Whether anybody verified it stays true until the link is there.
        session.refresh(found, with_for_update={"read": True})
    _refuse_stranger(session, store, provider, found, address, invitation, ways)
    if found is None:
        # Verified for this organization alone: another one must not rely on this provider.
        return _new_account(session, store, identity, address, is_verified=False)
    if found.verified_at is None and found.password_hash is not None:
        # The person who chose the password would enter the organization with it.
        raise NotAllowed(unproven(ways))
    _refuse_namesake(session, provider.id, identity, found)
    return found


def _refuse_stranger(
    session: Session,
    store: ControlStore,
    provider: ProviderRecord,
    found: Account | None,
    address: str,
    invitation: InvitationRecord | None,
    ways: OfferedWays,
) -> None:
    """Raise NotAllowed unless the account is a member, or the address is invited and nobody's own account has it, in a
    role that the provider serves.

    An organization can invite any address, and its provider can claim any: neither is the word of the person.
    """
    member = session.get(Member, (provider.organization_id, found.id)) if found is not None else None
    role = Role(member.role) if member is not None else None
    if (
        role is None
        and invitation is not None
        and invitation.organization_id == provider.organization_id
        and email_key(invitation.email) == email_key(address)
        and invitation.expires_at > store.now()
    ):
        role = invitation.role
    if role is None:
        name = session.get_one(Organization, provider.organization_id).name
        raise NotAllowed(
            f"no member of {name} has your address; ask its owner or admin for an invitation and open its link"
        )
    if role is Role.OWNER and not provider.signs_in_owners:
        raise NotAllowed(NOT_OWNERS)
    if member is None and found is not None and is_of_somebody(found):
        raise NotAllowed(own_first(ways) if found.verified_at is not None else unproven(ways))


def _new_account(
    session: Session, store: ControlStore, identity: Identity, address: str, *, is_verified: bool
) -> Account:
    now = store.now()
    row = Account(
        id=new_id(),
        email=address.strip(),
        email_key=email_key(address),
        name=proposed_name(address, identity.name),
        password_hash=None,
        is_platform_administrator=False,
        verified_at=now if is_verified else None,
        created_at=now,
    )
    session.add(row)
    session.flush()
    return row


def _link(
    session: Session, store: ControlStore, provider: ProviderRecord | None, identity: Identity, found: Account
) -> AccountIdentity:
    row = AccountIdentity(
        id=new_id(),
        account_id=found.id,
        scope=provider.id if provider else DEPLOYMENT,
        organization_id=provider.organization_id if provider else None,
        issuer=identity.issuer,
        subject=identity.subject,
        created_at=store.now(),
    )
    if provider is not None:
        note_vouched(session, store.now(), provider.organization_id, found)
        target, after = Target("identityProvider", provider.id, provider.name), {"email": found.email}
        organization_id, actor = provider.organization_id, as_principal(found)
        record_for(session, organization_id, actor, "identityProviders.link", target, after=after)
    session.add(row)
    session.flush()
    return row
