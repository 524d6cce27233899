"""Users of a directory: their rows, and the memberships that follow them.

Everything happens in the write transaction of one request. Keep out: the rules of memberships (provisioning.py).
"""

from sqlalchemy import delete
from sqlalchemy.orm import Session

from api.control.accounts.accounts import email_key
from api.control.errors import AlreadyExists, InvalidSetting, NotFound
from api.control.ids import new_id
from api.control.models import DirectoryGroupMember, DirectoryUser
from api.control.records import owned
from api.control.scim.group_teams import enter_teams, leave_teams
from api.control.scim.profiles import MAX_EXTERNAL_ID_LENGTH, MAX_KEY_LENGTH, UserProfile
from api.control.scim.provisioning import change_role, join, part, refresh_account
from api.control.store import ControlStore, Write


def create_user(session: Write, store: ControlStore, profile: UserProfile) -> DirectoryUser:
    """Keep a new user and make it a member. Raises AlreadyExists, InvalidSetting, NotPossible, TooMany."""
    _check(session, profile, None)
    now = store.now()
    user = DirectoryUser(
        id=new_id(),
        organization_id=session.organization_id,
        user_name_key=profile.user_name_key,
        external_id=profile.external_id,
        email_key=profile.email and email_key(profile.email),
        account_id=None,
        is_active=profile.is_active is not False,
        asked_role=profile.role,
        former_role=None,
        resource=profile.resource,
        version=1,
        created_at=now,
        modified_at=now,
    )
    session.add(user)
    session.flush()
    if user.is_active:
        join(session, store, user, profile)
    else:
        part(session, store, user)
    session.flush()
    return user


def update_user(session: Write, store: ControlStore, user: DirectoryUser, profile: UserProfile) -> None:
    """Replace the attributes of a user, and do what follows from them: role, name, address, membership.

    Raises AlreadyExists, InvalidSetting, NotPossible for the last owner, TooMany.
    """
    _check(session, profile, user.id)
    was_active, asked = user.is_active, user.asked_role
    user.user_name_key, user.external_id = profile.user_name_key, profile.external_id
    user.email_key = profile.email and email_key(profile.email)
    user.asked_role = profile.role
    user.resource = profile.resource
    if profile.is_active is not None:
        user.is_active = profile.is_active
    user.version += 1
    user.modified_at = max(store.now(), user.created_at)
    session.flush()
    if user.is_active and (not was_active or user.account_id is None):
        join(session, store, user, profile)
        enter_teams(session, store, user)
    elif was_active and not user.is_active:
        part(session, store, user)
        leave_teams(session, store, user)
    if user.is_active and was_active:
        change_role(session, user, asked)
    if user.is_active:
        refresh_account(session, user, profile)
    session.flush()


def delete_user(session: Write, store: ControlStore, user: DirectoryUser) -> None:
    """End the membership of a user and forget the user; figures stay. Raises NotPossible for the last owner."""
    part(session, store, user)
    leave_teams(session, store, user)
    session.execute(delete(DirectoryGroupMember).where(DirectoryGroupMember.member_id == user.id))
    session.delete(user)
    session.flush()


def existing_user(session: Session, organization_id: str, user_id: str | None) -> DirectoryUser:
    """The user of this id. Raises NotFound."""
    user = session.get(DirectoryUser, user_id) if user_id else None
    if user is None or user.organization_id != organization_id:
        raise NotFound(f"no user {(user_id or '')[:64]!r} in this directory")
    return user


def _check(session: Write, profile: UserProfile, own_id: str | None) -> None:
    if len(profile.user_name_key) > MAX_KEY_LENGTH:
        raise InvalidSetting("userName", f"use at most {MAX_KEY_LENGTH} characters")
    if profile.external_id is not None and len(profile.external_id) > MAX_EXTERNAL_ID_LENGTH:
        raise InvalidSetting("externalId", f"use at most {MAX_EXTERNAL_ID_LENGTH} characters")
    same_name = owned(
        DirectoryUser, session.organization_id, DirectoryUser.user_name_key == profile.user_name_key
    )
    for found in session.scalars(same_name.with_only_columns(DirectoryUser.id)):
        if found != own_id:
            raise AlreadyExists("another user of this directory has this userName; change that user instead")
