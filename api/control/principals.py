"""The caller of a request: a signed-in account, an API key that acts for one, a root login, or a directory.

Keep out: finding credentials (accounts/tokens.py, accounts/sessions.py, accounts/root_logins.py), permissions of roles
(permissions.py).
"""

from dataclasses import dataclass
from enum import StrEnum

from api.control.permissions import Permission, Role, allows
from api.control.visibility import EVERYTHING, Visibility
from api.operator.settings import RootSigner


@dataclass(frozen=True, slots=True)
class Membership:
    """A role in an organization with its visibility."""

    organization_id: str
    slug: str
    role: Role
    visibility: Visibility = EVERYTHING


@dataclass(frozen=True, slots=True)
class ShutMembership:
    """A membership that the session may not use, because of the way in which it began; `reason` says what to do."""

    organization_id: str
    slug: str
    reason: str


class ActorKind(StrEnum):
    """The kind of actor of a change."""

    ACCOUNT = "account"
    TOKEN = "token"
    OPERATOR = "operator"
    ROOT = "root"
    # The payment system. It is no caller and has no permission.
    BILLING = "billing"
    DIRECTORY = "directory"


@dataclass(frozen=True, slots=True)
class RootIdentity:
    """The root login of a caller: a row of `root_logins`, and who signed its credential with whose key."""

    login_id: str
    issuer: str
    credential_id: str
    signer: RootSigner

    @property
    def name(self) -> str:
        """The name under which changes are logged."""
        return f"{self.issuer} (root login {self.credential_id}, {self.signer} key)"


@dataclass(frozen=True, slots=True)
class Directory:
    """A directory that provisions members of one organization, by its SCIM token."""

    organization_id: str
    slug: str
    token_id: str
    token_name: str


@dataclass(frozen=True, slots=True)
class Principal:
    """A caller with a valid credential. An API key has one membership, in its organization, or none after its creator
    left. A root login has one, as owner, in the organization that it entered, else none; it has no account.
    A directory has no membership and no account, and provisions members of its organization.
    """

    account_id: str | None = None
    email: str | None = None
    token_id: str | None = None
    token_name: str | None = None
    session_id: str | None = None
    may_write: bool = False
    is_platform_administrator: bool = False
    memberships: tuple[Membership, ...] = ()
    active_organization_id: str | None = None
    root: RootIdentity | None = None
    # Only OPERATOR: a principal without account and key may be another one.
    is_operator: bool = False
    # The organization whose own identity provider began the session. It reaches nothing else, nor the account itself.
    only_organization_id: str | None = None
    shut: tuple[ShutMembership, ...] = ()
    directory: Directory | None = None

    @property
    def actor(self) -> tuple[ActorKind, str | None, str]:
        """Kind, id and name under which changes are logged."""
        if self.root is not None:
            return ActorKind.ROOT, self.root.login_id, self.root.name
        if self.directory is not None:
            return ActorKind.DIRECTORY, self.directory.token_id, self.directory.token_name
        if self.token_id is not None:
            return ActorKind.TOKEN, self.token_id, self.token_name or ""
        if self.account_id is not None:
            return ActorKind.ACCOUNT, self.account_id, self.email or ""
        assert self.is_operator
        return ActorKind.OPERATOR, None, "operator"

    def membership(self, id_or_slug: str) -> Membership | None:
        """The membership in the organization of this id, else of this slug."""
        by_slug = None
        for membership in self.memberships:
            if membership.organization_id == id_or_slug:
                return membership
            if membership.slug == id_or_slug:
                by_slug = membership
        return by_slug

    def shut_membership(self, id_or_slug: str) -> ShutMembership | None:
        """The membership of the account that this session may not use; None for others."""
        return next((one for one in self.shut if id_or_slug in (one.organization_id, one.slug)), None)

    def role_in(self, organization_id: str) -> Role | None:
        """The caller's role in an organization; None if the caller is no member."""
        found = self.membership(organization_id)
        return found.role if found else None

    def may(self, permission: Permission, organization_id: str) -> bool:
        """Whether a permission is this caller's in an organization."""
        return allows(
            permission,
            self.role_in(organization_id),
            is_platform_administrator=self.is_platform_administrator,
            may_write=self.may_write,
            is_directory=self.provisions(organization_id),
        )

    def provisions(self, organization_id: str) -> bool:
        """Whether this is a directory of the organization."""
        return self.directory is not None and self.directory.organization_id == organization_id


# All rights, because the operator can open the database anyway.
OPERATOR = Principal(may_write=True, is_platform_administrator=True, is_operator=True)
