"""Invitations to an organization: pending until they are accepted, cancelled or expired.

The link is derived from the invitation and a key of the deployment, so it can be copied at any time and is not stored.
The link alone opens nothing: only the account with the invited, verified address can accept.
"""

import base64
import hmac
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.control.accounts.accounts import email_key
from api.control.accounts.mails import MailKind, queue_mail
from api.control.accounts.members import add_member, end_what_an_admin_vouched_for, refuse_unless_owner
from api.control.accounts.sign_in_rules import NOT_OWNERS
from api.control.accounts.throttles import Allowance, Try, count
from api.control.accounts.tokens import signing_key
from api.control.accounts.verified_addresses import refuse_unverified
from api.control.audit import Target, record, record_for
from api.control.errors import AlreadyExists, InvalidSetting, NotAllowed, NotPossible, TooMany
from api.control.ids import new_id
from api.control.list_pages import Key, ListPage, ListQuery, list_page
from api.control.models import Account, Invitation, Member, Organization, SignInSession
from api.control.permissions import Permission, Role
from api.control.principals import Principal
from api.control.records import copied, existing, owned
from api.control.rights import refuse_lasting, signs_in_owners
from api.control.store import ControlStore
from api.control.visibility import has_mailbox

LIFETIME = timedelta(days=14)
ROLES = (Role.OWNER, Role.MEMBER, Role.VIEWER)
KEYS = {
    "email": Key(Invitation.email_key),
    "createdAt": Key(Invitation.created_at),
    "expiresAt": Key(Invitation.expires_at),
    "id": Key(Invitation.id),
}
# An organization can have many inviters, a person many organizations. A company starts with all its people.
MEANWHILE = "copy the links of the pending invitations"
INVITATIONS = Allowance("invite to this organization", 200, timedelta(minutes=5), MEANWHILE)
INVITATIONS_BY_ONE = Allowance("invite people", 200, timedelta(minutes=5), MEANWHILE)
# These limits refuse no invitation, so nobody can block or detect the invitations of others.
MAILS_TO_ONE_HERE = Allowance("mail invitations of an organization to an address", 5, timedelta(hours=4))
# One inviter gets a third of what an address gets, at once and in the long run. The rest is for others, even if the
# inviter has many organizations.
MAILS_TO_ONE_BY_ONE = Allowance("mail invitations of one inviter to an address", 5, timedelta(hours=6))
MAILS_TO_ONE = Allowance("mail invitations to an address", 15, timedelta(hours=2))
NO_INVITATION = "this invitation is unknown, or was accepted, cancelled or refreshed; ask for another"


@dataclass(frozen=True, slots=True)
class InvitationRecord:
    """A pending invitation; `token` is the secret in its link."""

    id: str
    organization_id: str
    organization_name: str
    email: str
    role: Role
    invited_by: str
    token: str
    created_at: datetime
    expires_at: datetime


def invite(
    store: ControlStore, actor: Principal, organization_id: str, email: str, role: Role
) -> InvitationRecord:
    """Invite an address, or refresh its pending invitation: another link, the role given now, 14 days more.

    The service mails it, unless the address has received many mails. Raises InvalidSetting for an address or role
    that cannot be invited, AlreadyExists for a member, NotAllowed, NotPossible before the inviting account's own
    address is verified, and TooMany after many new invitations of the actor or the organization.
    """
    key = email_key(email)
    if role not in ROLES:
        raise InvalidSetting("role", f"invite as {', '.join(one.name for one in ROLES)}")
    now = store.now()
    with store.allowed_write(actor, organization_id, Permission.MANAGE_MEMBERS) as session:
        refuse_lasting(actor, "invite anybody")
        if role is Role.OWNER:
            refuse_unless_owner(session, actor, organization_id, "invite an owner")
        refuse_unverified(session, actor, "invite others")
        member = session.scalar(
            select(Member.account_id)
            .join(Account, Account.id == Member.account_id)
            .where(Member.organization_id == organization_id, Account.email_key == key)
        )
        if member is not None:
            raise AlreadyExists(f"{email.strip()} is already a member; change the role of the member instead")
        row = session.scalar(owned(Invitation, organization_id, Invitation.email_key == key))
        before = None
        _, actor_id, _ = actor.actor
        inviter = None if actor.is_operator else actor.account_id or actor_id
        is_mailed = _count(session, store, inviter, organization_id, key, is_new=row is None)
        if row is None:
            row = Invitation(
                id=new_id(),
                organization_id=organization_id,
                email=email.strip(),
                email_key=key,
                generation=0,
                created_at=now,
            )
            session.add(row)
        else:
            before = {"role": row.role}
            row.generation += 1
        # The person's address also for an API key, because the name of a key is free text.
        row.role, row.invited_by, row.expires_at = role, actor.email or actor.actor[2], now + LIFETIME
        session.flush()
        if is_mailed:
            queue_mail(session, now, MailKind.INVITATION, row.email, invitation=row.id)
        action = "invitations.refresh" if before else "invitations.create"
        target = Target("invitation", row.id, row.email)
        after = {"role": role.value}
        record(session, action, target, before=before, after=after)
        organization = session.get_one(Organization, organization_id)
    return _record(row, organization.name, _key(store))


def list_invitations(
    store: ControlStore, organization_id: str, asked: ListQuery
) -> ListPage[InvitationRecord]:
    """A page of the pending invitations, newest first, expired ones included."""
    statement = (
        select(Invitation, Organization.name)
        .join(Organization, Organization.id == Invitation.organization_id)
        .where(Invitation.organization_id == organization_id)
    )
    key = _key(store)
    with store.session() as session:
        return list_page(
            session, statement, KEYS, asked, lambda row, organization: _record(row, organization, key),
            default="createdAt desc", unique="id",
        )  # fmt: skip


def cancel_invitation(
    store: ControlStore, actor: Principal, organization_id: str, invitation_id: str
) -> None:
    """Remove a pending invitation. Raises NotFound, NotAllowed."""
    with store.allowed_write(actor, organization_id, Permission.MANAGE_MEMBERS) as session:
        row = existing(
            session, Invitation, organization_id, invitation_id, "pending invitation", "invitations"
        )
        record(session, "invitations.cancel", Target("invitation", row.id, row.email), {"role": row.role})
        session.delete(row)


def accept_invitation(store: ControlStore, actor: Principal, token: str) -> InvitationRecord:
    """Make the signed-in account a member, and the organization the session's active one. A member keeps its role.

    Raises NotPossible for an invalid link or an unverified address, NotAllowed for an invitation to another address,
    and for one to become an owner in the session of a provider that signs in no owners.
    """
    key = _key(store)
    with store.session() as session:
        organization_id = _of_token(session, token, key).organization_id
    with store.write_transaction(organization_id) as session:
        row = _of_token(session, token, key)
        organization = session.get_one(Organization, organization_id)
        account = session.get_one(Account, actor.account_id)
        if account.email_key != row.email_key:
            raise NotAllowed("this invitation is for another address; sign in with the invited address")
        if actor.only_organization_id not in (None, organization_id):
            raise NotAllowed(
                "this invitation is to another organization than the one whose identity provider began this session; "
                "sign in another way"
            )
        if not has_mailbox(session, organization_id, account):
            raise NotPossible("your address is not verified; open the link in the mail to your address first")
        if row.expires_at <= store.now():
            raise NotPossible("this invitation has expired; ask its sender to refresh it")
        accepted = _record(row, organization.name, key)
        if session.get(Member, (organization_id, account.id)) is None:
            if accepted.role is Role.OWNER:
                _refuse_admins_provider(session, actor, organization_id)
                end_what_an_admin_vouched_for(session, store.now(), actor, organization_id, account.id)
            add_member(session, store.now(), organization_id, account.id, accepted.role)
            target, after = Target("member", account.id, account.email), {"role": row.role}
            # It restates, because the address is proven: from now on names do not join it.
            record_for(
                session, organization_id, actor, "invitations.accept", target, after=after, restates=True
            )
        session.delete(row)
        signed_in = session.get(SignInSession, actor.session_id) if actor.session_id else None
        if signed_in is not None:
            signed_in.active_organization_id = organization_id
    return accepted


def look_up(store: ControlStore, token: str) -> InvitationRecord:
    """The pending invitation of a link. Raises NotPossible."""
    key = _key(store)
    with store.session() as session:
        row = _of_token(session, token, key)
        return _record(row, session.get_one(Organization, row.organization_id).name, key)


def pending(store: ControlStore, invitation_id: str) -> InvitationRecord | None:
    """The invitation of this id, if it is still pending."""
    with store.session() as session:
        row = session.get(Invitation, invitation_id)
        if row is None:
            return None
        organization = session.get_one(Organization, row.organization_id)
        return _record(row, organization.name, _key(store))


def _refuse_admins_provider(session: Session, actor: Principal, organization_id: str) -> None:
    """Raises NotAllowed for a session of a provider that an admin set up: its admin may hold it."""
    if actor.only_organization_id is None:
        return
    row = session.get(SignInSession, actor.session_id) if actor.session_id else None
    if row is None or not signs_in_owners(session, organization_id, row.signed_in_by):
        raise NotAllowed(NOT_OWNERS)


def _of_token(session: Session, token: str, key: bytes) -> Invitation:
    invitation_id, _, _ = token.partition(".")
    # Anything may be sent; PostgreSQL takes no NUL.
    row = session.get(Invitation, invitation_id) if invitation_id.isprintable() else None
    if row is None or not hmac.compare_digest(_token(row, key).encode(), token.encode()):
        raise NotPossible(NO_INVITATION)
    return row


def _token(row: Invitation, key: bytes) -> str:
    mac = hmac.digest(key, f"{row.id}.{row.generation}".encode(), "sha256")[:18]
    return f"{row.id}.{base64.urlsafe_b64encode(mac).decode()}"


def _key(store: ControlStore) -> bytes:
    return signing_key(store, "invitations")


def _record(row: Invitation, organization_name: str, key: bytes) -> InvitationRecord:
    return copied(InvitationRecord, row, organization_name=organization_name, token=_token(row, key))


def _count(
    session: Session,
    store: ControlStore,
    inviter: str | None,
    organization_id: str,
    email_key: str,
    *,
    is_new: bool,
) -> bool:
    """Whether the invitation may be mailed. Raises TooMany for a new invitation over the limit.

    `inviter` is the id of an account or a key; None for the operator, who has no limit.
    """
    if inviter is None:
        return True
    made = Try(INVITATIONS, organization_id), Try(INVITATIONS_BY_ONE, inviter)
    mailed = (
        Try(MAILS_TO_ONE_HERE, f"{organization_id}\0{email_key}"),
        Try(MAILS_TO_ONE_BY_ONE, f"{inviter}\0{email_key}"),
        Try(MAILS_TO_ONE, email_key),
    )
    # Always in this order, so concurrent invitations never deadlock.
    if is_new:
        count(session, store, *made)
    try:
        count(session, store, *mailed)
    except TooMany:
        return False
    return True
