"""The check of a permission inside the transaction of a write.

A caller can lose a role between authentication and the write; the write then fails. Keep out: the permissions of roles
(permissions.py).
"""

from sqlalchemy.orm import Session

from api.control.errors import NotAllowed
from api.control.models import Account, ApiToken, Member, SignInSession
from api.control.permissions import Permission, Role, allows
from api.control.principals import Principal


def refuse_unless_allowed(
    session: Session, actor: Principal, organization_id: str, permission: Permission
) -> None:
    """Raises NotAllowed unless the actor has the permission now. The transaction must be a `write_transaction`.

    The operator has every permission. An API key has the present permissions of its creator. A revoked key and an
    ended session have none.
    """
    if actor.account_id is None and actor.token_id is None:
        return
    if actor.token_id is not None:
        token = session.get(ApiToken, actor.token_id)
        if token is None or token.revoked_at is not None:
            raise NotAllowed("this API key was revoked; create another")
    if actor.session_id is not None and session.get(SignInSession, actor.session_id) is None:
        raise NotAllowed("this session was ended; sign in again")
    role, is_administrator = present_role(session, actor, organization_id)
    if not allows(permission, role, is_platform_administrator=is_administrator, may_write=actor.may_write):
        raise NotAllowed(f"you may not {permission.value}: your role is now {role.shown if role else 'none'}")


def present_role(session: Session, actor: Principal, organization_id: str) -> tuple[Role | None, bool]:
    """The actor's role now (None: no member), and whether it is the platform's administrator or the operator."""
    if actor.account_id is None:
        # A key of the operator's speaks for an owner, the operator for the platform.
        return (Role.OWNER, False) if actor.token_id is not None else (None, True)
    found = session.get(Member, (organization_id, actor.account_id))
    account = session.get(Account, actor.account_id)
    is_own = actor.token_id is None and actor.only_organization_id is None
    is_administrator = is_own and account is not None and account.is_platform_administrator
    return (Role(found.role) if found else None), is_administrator
