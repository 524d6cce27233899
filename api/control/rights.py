"""The check of a permission inside the transaction of a write.

A caller can lose a role between authentication and the write; the write then fails. Keep out: the permissions of roles
(permissions.py).
"""

from collections.abc import Callable
from datetime import datetime

from sqlalchemy.orm import Session

from api.control.database import CLOCK
from api.control.errors import NotAllowed
from api.control.models import (
    Account,
    ApiToken,
    IdentityProvider,
    Member,
    RootLogin,
    ScimToken,
    SignInSession,
)
from api.control.permissions import Permission, Role, allows
from api.control.principals import Principal
from api.operator.settings import operator_settings

ROOT_ENDED = "this root login has ended; sign in with a new credential of `eas root-login`"


def refuse_unless_allowed(
    session: Session, actor: Principal, organization_id: str, permission: Permission
) -> None:
    """Raises NotAllowed unless the actor has the permission now. The transaction must be a `write_transaction`.

    The operator has every permission. An API key has the present permissions of its creator. A revoked key, an ended
    session and an ended root login have none. A root login is an owner of the organization that it has entered, and
    elsewhere a platform administrator. A directory has the rights of directories in its organization, while its SCIM
    token is not revoked.
    """
    if actor.is_operator:
        return
    if actor.root is not None:
        login = session.get(RootLogin, actor.root.login_id)
        clock: Callable[[], datetime] = session.info[CLOCK]
        if login is None or not is_live(login, clock()):
            raise NotAllowed(ROOT_ENDED)
    if actor.token_id is not None:
        token = session.get(ApiToken, actor.token_id)
        if token is None or token.revoked_at is not None:
            raise NotAllowed("this API key was revoked; create another")
    if actor.directory is not None:
        scim_token = session.get(ScimToken, actor.directory.token_id)
        if scim_token is None or scim_token.revoked_at is not None:
            raise NotAllowed("this SCIM token was revoked; create another")
    if actor.session_id is not None and session.get(SignInSession, actor.session_id) is None:
        raise NotAllowed("this session was ended; sign in again")
    role, is_administrator = present_role(session, actor, organization_id)
    is_directory = actor.provisions(organization_id)
    if not allows(
        permission,
        role,
        is_platform_administrator=is_administrator,
        may_write=actor.may_write,
        is_directory=is_directory,
    ):
        raise NotAllowed(f"you may not {permission.value}: your role is now {role.shown if role else 'none'}")


def present_role(session: Session, actor: Principal, organization_id: str) -> tuple[Role | None, bool]:
    """The actor's role now (None: no member), and whether it is the platform's administrator or the operator."""
    if actor.root is not None:
        login = session.get(RootLogin, actor.root.login_id)
        is_entered = login is not None and login.entered_organization_id == organization_id
        return (Role.OWNER if is_entered else None), login is not None
    if actor.token_id is not None and actor.account_id is None:
        # A key of the operator's speaks for an owner.
        return Role.OWNER, False
    if actor.account_id is None:
        # Also of a directory, which has no role.
        return None, actor.is_operator
    found = session.get(Member, (organization_id, actor.account_id))
    role = Role(found.role) if found else None
    if actor.only_organization_id is not None:
        return (role if _is_open(session, actor, organization_id, role) else None), False
    account = session.get(Account, actor.account_id)
    is_own = actor.token_id is None
    is_administrator = is_own and account is not None and account.is_platform_administrator
    return role, is_administrator


def _is_open(session: Session, actor: Principal, organization_id: str, role: Role | None) -> bool:
    """Whether the session of an organization's own provider acts in this organization, in this role, now."""
    row = session.get(SignInSession, actor.session_id) if actor.session_id else None
    if row is None or actor.only_organization_id != organization_id:
        return False
    return role is not Role.OWNER or signs_in_owners(session, organization_id, row.signed_in_by)


def signs_in_owners(session: Session, organization_id: str, provider_id: str) -> bool:
    """Whether this is a provider of the organization whose sessions owners may use: an owner vouches for it."""
    provider = session.get(IdentityProvider, provider_id)
    return provider is not None and provider.organization_id == organization_id and provider.signs_in_owners


def is_live(login: RootLogin, now: datetime) -> bool:
    """Whether the session of a root login can be used: not ended, and signed by a key that still may sign."""
    return login.ended_at is None and now < login.expires_at and login.key in operator_settings().root_keys


def refuse_lasting(actor: Principal, what: str) -> None:
    """Raises NotAllowed for root: `what` gives somebody access that would outlast the root login."""
    if actor.root is not None:
        raise NotAllowed(f"you may not {what}: the access would outlast this root login; ask an owner")


def refuse_more_rights(actor: Principal, before: Role, role: Role) -> None:
    """Raises NotAllowed for root and a role with a permission that the role before does not have."""
    gained = role is Role.OWNER or any(
        role in roles and before not in roles for roles in (one.roles for one in Permission)
    )
    if gained and role is not before:
        refuse_lasting(actor, "give a member more rights")
