"""The membership that a directory gives a user, and takes.

An account of somebody is never taken over: its person accepts an invitation. An account that only organizations vouched
for is joined. Keep out: rows of users (directory_users.py), teams (group_teams.py).
"""

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from api.control.accounts.account_names import proposed_name, rename
from api.control.accounts.accounts import email_key, find_by_email
from api.control.accounts.invitations import cancel_invitation, invite
from api.control.accounts.members import add_member, end_membership, refuse_last_owner
from api.control.accounts.sessions import end_sessions
from api.control.accounts.verified_addresses import is_of_somebody, note_vouched
from api.control.audit import Target, record
from api.control.errors import AlreadyExists
from api.control.ids import new_id
from api.control.models import Account, DirectoryUser, Invitation, Link, Member
from api.control.permissions import Role
from api.control.records import owned
from api.control.scim.profiles import ROLES, UserProfile
from api.control.store import ControlStore, Write
from api.control.visibility import has_mailbox


def join(session: Write, store: ControlStore, user: DirectoryUser, profile: UserProfile) -> None:
    """Make an active user a member, or keep the membership that the account has.

    An account of somebody who is no member gets an invitation. Raises AlreadyExists where another user of the
    directory has the account, and TooMany after many invitations.
    """
    account = _account_of(session, user)
    if account is None:
        if profile.email is None:
            return
        account = _new_account(session, store, profile)
    _refuse_joined_twice(session, user, account)
    had_mailbox = has_mailbox(session, user.organization_id, account)
    user.account_id = account.id
    member = session.get(Member, (user.organization_id, account.id))
    if member is None and is_of_somebody(account) and user.former_role is None:
        if not _is_invited(session, store, user):
            invited = Role.MEMBER if user.asked_role == Role.MEMBER else Role.VIEWER
            invite(store.joined(session), session.actor, user.organization_id, account.email, invited)
        return
    session.flush()
    if member is None:
        role = Role(user.asked_role or _lesser(user.former_role))
        add_member(session, store.now(), user.organization_id, account.id, role)
        session.flush()
        target, after = Target("member", account.id, account.email), {"role": role.value}
        record(
            session,
            "members.create",
            target,
            after=after,
            restates=has_mailbox(session, user.organization_id, account),
        )
    elif not had_mailbox and has_mailbox(session, user.organization_id, account):
        note_vouched(session, store.now(), user.organization_id, account)
    user.former_role = None


def part(session: Write, store: ControlStore, user: DirectoryUser) -> None:
    """End the membership of a user with its sessions, API keys and team leads, and cancel a pending invitation.

    Raises NotPossible for the last owner.
    """
    if user.email_key is not None:
        pending = owned(Invitation, user.organization_id, Invitation.email_key == user.email_key)
        for row in session.scalars(pending).all():
            cancel_invitation(store.joined(session), session.actor, user.organization_id, row.id)
    account = _account_of(session, user)
    member = session.get(Member, (user.organization_id, account.id)) if account is not None else None
    if account is None or member is None:
        return
    if member.role == Role.OWNER:
        refuse_last_owner(session, user.organization_id)
    user.account_id, user.former_role = account.id, member.role
    end_membership(session, store.now(), member, account, "members.deactivate")
    session.flush()
    if not _memberships(session, account):
        end_sessions(session, account.id)


def change_role(session: Write, user: DirectoryUser, before: str | None) -> None:
    """Give the member the role that the directory now asks for. Raises NotPossible for the last owner.

    Without a role a member becomes a viewer; owners and admins stay what people made them.
    """
    account = _account_of(session, user)
    member = session.get(Member, (user.organization_id, account.id)) if account is not None else None
    if account is None or member is None or user.asked_role == before:
        return
    if user.asked_role is None and Role(member.role) not in ROLES:
        return
    role = Role(user.asked_role or Role.VIEWER)
    if member.role == role:
        return
    if member.role == Role.OWNER:
        refuse_last_owner(session, user.organization_id)
    former, member.role = member.role, role
    target = Target("member", account.id, account.email)
    record(session, "members.changeRole", target, {"role": former}, {"role": role.value})


def refresh_account(session: Write, user: DirectoryUser, profile: UserProfile) -> None:
    """Give the account the name and address of the directory, while it is the directory's own: nobody signs in to
    it but by this organization, and no other organization has it.
    """
    account = _account_of(session, user)
    if account is None or is_of_somebody(account) or account.is_platform_administrator:
        return
    if _memberships(session, account) != [user.organization_id]:
        return
    rename(session, session.actor, account, proposed_name(profile.email or account.email, profile.name))
    if profile.email is None or email_key(profile.email) == account.email_key:
        return
    if find_by_email(session, profile.email) is not None:
        return
    before = account.email
    account.email, account.email_key = profile.email.strip(), email_key(profile.email)
    # Mails to the former address must open nothing any more.
    session.execute(delete(Link).where(Link.account_id == account.id))
    record(
        session,
        "members.changeEmail",
        Target("member", account.id, account.email),
        {"email": before},
        {"email": account.email},
        restates=has_mailbox(session, user.organization_id, account),
    )


def _account_of(session: Session, user: DirectoryUser) -> Account | None:
    """The account of a user: the joined one, else the one with the user's address."""
    if user.account_id is not None:
        return session.get(Account, user.account_id)
    return find_by_email(session, user.email_key) if user.email_key is not None else None


def _is_invited(session: Session, store: ControlStore, user: DirectoryUser) -> bool:
    """Whether an invitation waits for the person: each change of a user would mail another one."""
    waiting = owned(
        Invitation,
        user.organization_id,
        Invitation.email_key == user.email_key,
        Invitation.expires_at > store.now(),
    )
    return session.scalar(waiting) is not None


def _refuse_joined_twice(session: Session, user: DirectoryUser, account: Account) -> None:
    other = session.scalar(
        owned(
            DirectoryUser,
            user.organization_id,
            DirectoryUser.account_id == account.id,
            DirectoryUser.id != user.id,
        )
    )
    if other is not None:
        raise AlreadyExists(
            f"another user of this directory already has the address {account.email}; give each user an own address"
        )


def _new_account(session: Session, store: ControlStore, profile: UserProfile) -> Account:
    assert profile.email is not None
    row = Account(
        id=new_id(),
        email=profile.email.strip(),
        email_key=email_key(profile.email),
        name=proposed_name(profile.email, profile.name),
        password_hash=None,
        is_platform_administrator=False,
        # The word of a directory counts in its organization alone.
        verified_at=None,
        created_at=store.now(),
    )
    session.add(row)
    session.flush()
    return row


def _memberships(session: Session, account: Account) -> list[str]:
    return list(session.scalars(select(Member.organization_id).where(Member.account_id == account.id)))


def _lesser(former: str | None) -> Role:
    """The role of a user who returns: the former one, but owners and admins return as members."""
    if former is None:
        return Role.VIEWER
    return Role(former) if Role(former) in ROLES else Role.MEMBER
