"""The permissions of every role. No other table of rights exists.

Add: a permission with its roles. Keep out: recognizing a caller (http/credentials.py), the rows that a reader sees
(api/access/row_access.py), rules about one thing (for example: the last owner stays, accounts/members.py).
"""

from enum import StrEnum


class Role(StrEnum):
    """The role of a member in an organization; upper case over HTTP."""

    OWNER = "owner"
    ADMIN = "admin"
    MEMBER = "member"
    VIEWER = "viewer"
    TEAM_LEAD = "team_lead"

    @property
    def shown(self) -> str:
        """The role as messages spell it."""
        return self.value.replace("_", " ")


class Permission(StrEnum):
    """A permission in an organization; its text completes "you may not …"."""

    SEE_ORGANIZATION = "see the organization"
    READ_FIGURES = "read figures"
    READ_OWN_FIGURES = "see your own figures"
    MANAGE_OWN_CORRECTIONS = "request corrections of your own figures"
    MANAGE_OWN_MEMBERSHIP = "leave the organization"
    READ_CORRECTIONS = "see corrections that others request"
    MANAGE_CORRECTIONS = "accept or reject corrections"
    READ_SETTINGS = "read the settings of the whole organization"
    READ_CONNECTIONS = "open the connections"
    MANAGE_CONNECTIONS = "change connections"
    READ_IDENTITY_PROVIDERS = "see identity providers and how members sign in"
    MANAGE_IDENTITY_PROVIDERS = "change identity providers and how members sign in"
    READ_MEMBERS = "list the members"
    READ_INVITATIONS = "list the invitations"
    MANAGE_MEMBERS = "manage members and invitations"
    MANAGE_ORGANIZATION = "change the organization"
    MANAGE_REPOSITORIES = "change repositories"
    MANAGE_COMMITS = "exclude commits or analyse them again"
    READ_EXCLUSIONS = "see excluded commits with their reasons"
    MANAGE_TEAMS = "change teams and their members"
    READ_IDENTITIES = "see identity decisions and merge suggestions"
    MANAGE_IDENTITIES = "change, merge or split developers"
    READ_OWN_TOKENS = "list API keys"
    MANAGE_OWN_TOKENS = "create and revoke API keys"
    ADMINISTER_TOKENS = "see and revoke the API keys of others"
    READ_CAPEX_CONTROLS = "read CapEx policies, closed months and restatements"
    READ_PLAN = "see the plan"
    MANAGE_PLAN = "change the plan"
    MANAGE_UPGRADE = "ask for an upgrade"
    READ_BILLABLE = "list billable developers"
    MANAGE_CAPEX = "change the CapEx policy or close months"
    READ_OPERATIONS = "see operations and restatements"
    READ_AUDIT_LOG = "read the audit log"

    @property
    def writes(self) -> bool:
        """Whether a key that may only read is not enough."""
        return self.name.startswith("MANAGE_")


EVERYONE = frozenset(Role)
# A team lead sees only the led teams, not figures of the whole organization.
WHOLE_ORGANIZATION = EVERYONE - {Role.TEAM_LEAD}
ADMINISTRATORS = frozenset({Role.OWNER, Role.ADMIN})

ROLES: dict[Permission, frozenset[Role]] = {
    Permission.SEE_ORGANIZATION: EVERYONE,
    Permission.READ_FIGURES: EVERYONE,
    Permission.READ_OWN_FIGURES: EVERYONE,
    Permission.MANAGE_OWN_CORRECTIONS: EVERYONE,
    # members.py still protects the owner role.
    Permission.MANAGE_OWN_MEMBERSHIP: EVERYONE,
    Permission.READ_CORRECTIONS: ADMINISTRATORS,
    Permission.MANAGE_CORRECTIONS: ADMINISTRATORS,
    Permission.READ_SETTINGS: WHOLE_ORGANIZATION,
    Permission.READ_CONNECTIONS: WHOLE_ORGANIZATION,
    Permission.MANAGE_CONNECTIONS: ADMINISTRATORS,
    Permission.READ_IDENTITY_PROVIDERS: ADMINISTRATORS,
    Permission.MANAGE_IDENTITY_PROVIDERS: ADMINISTRATORS,
    Permission.READ_MEMBERS: WHOLE_ORGANIZATION,
    Permission.READ_INVITATIONS: ADMINISTRATORS,
    Permission.MANAGE_MEMBERS: ADMINISTRATORS,
    Permission.MANAGE_ORGANIZATION: ADMINISTRATORS,
    Permission.MANAGE_REPOSITORIES: ADMINISTRATORS,
    Permission.MANAGE_COMMITS: ADMINISTRATORS,
    Permission.READ_EXCLUSIONS: ADMINISTRATORS,
    Permission.MANAGE_TEAMS: ADMINISTRATORS,
    Permission.READ_IDENTITIES: ADMINISTRATORS,
    Permission.MANAGE_IDENTITIES: ADMINISTRATORS,
    Permission.READ_OWN_TOKENS: EVERYONE,
    Permission.MANAGE_OWN_TOKENS: EVERYONE,
    Permission.ADMINISTER_TOKENS: ADMINISTRATORS,
    Permission.READ_CAPEX_CONTROLS: WHOLE_ORGANIZATION,
    Permission.READ_PLAN: WHOLE_ORGANIZATION,
    # Only the platform sets the plan of an organization.
    Permission.MANAGE_PLAN: frozenset(),
    # An owner pays.
    Permission.MANAGE_UPGRADE: frozenset({Role.OWNER}),
    Permission.READ_BILLABLE: ADMINISTRATORS,
    Permission.MANAGE_CAPEX: ADMINISTRATORS,
    Permission.READ_OPERATIONS: WHOLE_ORGANIZATION,
    Permission.READ_AUDIT_LOG: ADMINISTRATORS,
}
# In every organization, member or not.
PLATFORM_ADMINISTRATOR = frozenset(
    {
        Permission.SEE_ORGANIZATION,
        Permission.READ_MEMBERS,
        Permission.READ_INVITATIONS,
        Permission.MANAGE_MEMBERS,
        Permission.READ_PLAN,
        Permission.MANAGE_PLAN,
        Permission.READ_BILLABLE,
    }
)


def allows(
    permission: Permission,
    role: Role | None,
    *,
    is_platform_administrator: bool = False,
    may_write: bool = True,
) -> bool:
    """Whether a caller of this role (None: no member) has a permission. `may_write` is the scope of an API key."""
    if permission.writes and not may_write:
        return False
    if is_platform_administrator and permission in PLATFORM_ADMINISTRATOR:
        return True
    return role is not None and role in ROLES[permission]
