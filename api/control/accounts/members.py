"""Members of an organization: their roles, and the rules for changing them.

The transaction of a change looks the actor up again, so if two owners demote each other, the second is refused. Keep
out: invitations (invitations.py).
"""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

from api.control.accounts.accounts import registered
from api.control.accounts.sessions import end_sessions_in
from api.control.accounts.tokens import revoke_tokens
from api.control.audit import Target, record
from api.control.errors import NotAllowed, NotFound, NotPossible
from api.control.list_pages import Key, ListPage, ListQuery, given, list_page, matching
from api.control.models import Account, ApiToken, IdentityProvider, Member, SignInSession
from api.control.permissions import Permission, Role
from api.control.principals import Principal
from api.control.rights import present_role, refuse_lasting, refuse_more_rights
from api.control.store import ControlStore, Write
from api.control.teams.leads import end_leads
from api.control.visibility import has_mailbox

KEYS = {
    "name": Key(func.lower(Account.name)),
    "email": Key(Account.email_key),
    "role": Key(Member.role),
    "joinedAt": Key(Member.joined_at),
    "id": Key(Member.account_id),
}


@dataclass(frozen=True, slots=True)
class MemberRecord:
    """An account in an organization; the id is the account's."""

    id: str
    email: str
    name: str
    role: Role
    joined_at: datetime


def list_members(
    store: ControlStore,
    organization_id: str,
    asked: ListQuery,
    *,
    search: str = "",
    role: Role | None = None,
) -> ListPage[MemberRecord]:
    """A page of the members, by name. All words of a search must be in the name or address."""
    statement = (
        # Columns alone: whole rows of both tables took three times as long.
        select(Account.id, Account.email, Account.name, Member.role, Member.joined_at)
        .join(Account, Account.id == Member.account_id)
        .where(Member.organization_id == organization_id, *given((Member.role, role)))
    )
    with store.session() as session:
        found_in = (Account.name, Account.email_key)
        statement = statement.where(matching(session, search, found_in))
        return list_page(session, statement, KEYS, asked, _listed, default="name", unique="id")


def member(store: ControlStore, organization_id: str, account_id: str) -> MemberRecord:
    """A member. Raises NotFound."""
    with store.session() as session:
        return _record(*_existing(session, organization_id, account_id))


def change_role(
    store: ControlStore, actor: Principal, organization_id: str, account_id: str, role: Role
) -> MemberRecord:
    """Give a member another role. Raises NotFound, NotAllowed, NotPossible; the same role changes nothing."""
    with store.allowed_write(actor, organization_id, Permission.MANAGE_MEMBERS) as session:
        row, account = _existing(session, organization_id, account_id)
        if row.role == role:
            return _record(row, account)
        if row.role == Role.OWNER:
            _refuse_touching_owner(session, actor, organization_id, account_id)
        if role is Role.OWNER:
            refuse_unless_owner(session, actor, organization_id, "make somebody an owner")
        refuse_more_rights(actor, Role(row.role), role)
        before, row.role = row.role, role
        if role is Role.OWNER:
            end_what_an_admin_vouched_for(session, store.now(), actor, organization_id, account_id)
        target = Target("member", account_id, account.email)
        record(session, "members.changeRole", target, {"role": before}, {"role": role.value})
        return _record(row, account)


def remove_member(store: ControlStore, actor: Principal, organization_id: str, account_id: str) -> None:
    """End a membership and every API key that the account made here. Raises NotFound, NotAllowed, NotPossible."""
    with store.allowed_write(actor, organization_id, Permission.MANAGE_MEMBERS) as session:
        row, account = _existing(session, organization_id, account_id)
        if row.role == Role.OWNER:
            _refuse_touching_owner(session, actor, organization_id, account_id)
        end_membership(session, store.now(), row, account, "members.remove")


def leave(store: ControlStore, actor: Principal, organization_id: str) -> None:
    """End the actor's own membership, as a removal would. Raises NotAllowed; NotPossible for an owner."""
    with store.allowed_write(actor, organization_id, Permission.MANAGE_OWN_MEMBERSHIP) as session:
        row, account = _existing(session, organization_id, actor.account_id or "")
        if row.role == Role.OWNER:
            way = (
                "make somebody else an owner, who can then change your role or remove you"
                if _owners(session, organization_id) == 1
                else "ask another owner to change your role or to remove you"
            )
            raise NotPossible(f"an owner cannot leave the organization; {way}")
        end_membership(session, store.now(), row, account, "members.leave")


def put_member(
    store: ControlStore,
    actor: Principal,
    organization_id: str,
    email: str,
    role: Role,
    *,
    may_be_unverified: bool = False,
) -> MemberRecord:
    """Make the account of an address a member, or give it this role, without an invitation: for the operator.

    Raises NotFound for an unknown address, NotPossible for an unverified one unless it may be, and the errors of
    `change_role`.
    """
    with store.allowed_write(actor, organization_id, Permission.MANAGE_MEMBERS) as session:
        refuse_lasting(actor, "add members")
        account = registered(session, email, may_be_unverified=may_be_unverified)
        row = session.get(Member, (organization_id, account.id))
        if row is None:
            add_member(session, store.now(), organization_id, account.id, role)
            if role is Role.OWNER:
                end_what_an_admin_vouched_for(session, store.now(), actor, organization_id, account.id)
            target, after = Target("member", account.id, account.email), {"role": role.value}
            is_restated = has_mailbox(session, organization_id, account)
            record(session, "members.create", target, after=after, restates=is_restated)
    return change_role(store, actor, organization_id, account.id, role)


def add_member(session: Session, now: datetime, organization_id: str, account_id: str, role: Role) -> None:
    """A new membership, in a write transaction."""
    session.add(Member(organization_id=organization_id, account_id=account_id, role=role, joined_at=now))


def refuse_unless_owner(session: Session, actor: Principal, organization_id: str, what: str) -> None:
    """Raises NotAllowed unless the actor is an owner, or of the platform, at this moment."""
    role, is_administrator = present_role(session, actor, organization_id)
    if role is not Role.OWNER and not is_administrator:
        raise NotAllowed(f"only an owner may {what}; your role is {role.shown if role else 'none'}")


def end_what_an_admin_vouched_for(
    session: Session, now: datetime, actor: Principal, organization_id: str, account_id: str
) -> None:
    """End what a provider of the organization began for somebody who becomes an owner, but the actor's own session.

    An admin who set up the provider may hold such a session, and API keys that it made.
    """
    end_sessions_in(session, organization_id, account_id, but=actor.session_id)
    trusted = select(IdentityProvider.id).where(
        IdentityProvider.organization_id == organization_id, IdentityProvider.signs_in_owners
    )
    revoke_tokens(
        session, now, actor, organization_id,
        ApiToken.created_by == account_id,
        # Null is not in an empty list either.
        ApiToken.made_by_provider.is_not(None),
        ApiToken.made_by_provider.not_in(trusted),
    )  # fmt: skip


def _refuse_touching_owner(session: Session, actor: Principal, organization_id: str, account_id: str) -> None:
    if actor.account_id == account_id:
        raise NotAllowed("owners cannot change or remove their own owner role; ask another owner")
    refuse_unless_owner(session, actor, organization_id, "change or remove an owner")
    refuse_last_owner(session, organization_id)


def refuse_last_owner(session: Session, organization_id: str) -> None:
    """Raises NotPossible where the organization has one owner, whom a change would take away."""
    if _owners(session, organization_id) == 1:
        raise NotPossible("this is the last owner; make another member an owner first")


def _owners(session: Session, organization_id: str) -> int:
    owners = session.scalar(
        select(func.count()).where(Member.organization_id == organization_id, Member.role == Role.OWNER)
    )
    return owners or 0


def end_membership(session: Write, now: datetime, row: Member, account: Account, action: str) -> None:
    """Delete a membership with everything that the account created or opened through it."""
    # Revoked for good: a member who returns later creates new keys, and signs in again.
    revoke_tokens(session, now, session.actor, row.organization_id, ApiToken.created_by == account.id)
    end_sessions_in(session, row.organization_id, account.id)
    end_leads(session, account)
    target = Target("member", account.id, account.email)
    is_restated = has_mailbox(session, row.organization_id, account)
    record(session, action, target, {"role": row.role}, restates=is_restated)
    session.delete(row)
    session.execute(
        update(SignInSession)
        .where(
            SignInSession.account_id == account.id,
            SignInSession.active_organization_id == row.organization_id,
        )
        .values(active_organization_id=None)
    )


def _existing(session: Session, organization_id: str, account_id: str) -> tuple[Member, Account]:
    found = session.execute(
        select(Member, Account)
        .join(Account, Account.id == Member.account_id)
        .where(Member.organization_id == organization_id, Member.account_id == account_id)
    ).one_or_none()
    if found is None:
        raise NotFound(f"no member {account_id!r} in this organization; …/members lists them")
    return found[0], found[1]


def _record(row: Member, account: Account) -> MemberRecord:
    return _listed(account.id, account.email, account.name, row.role, row.joined_at)


def _listed(account_id: str, email: str, name: str, role: str, joined_at: datetime) -> MemberRecord:
    return MemberRecord(account_id, email, name, Role(role), joined_at)
