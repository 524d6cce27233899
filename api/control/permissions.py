"""The permissions of every role. No other table of rights exists.

Add: a permission with its roles. Keep out: recognizing a caller (http/credentials.py), the rows that a reader sees
(api/access/row_access.py), rules about one thing (for example: the last owner stays, accounts/members.py).
"""

from enum import StrEnum
from typing import Self


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


EVERYONE = frozenset(Role)
# A team lead sees only the led teams, not figures of the whole organization.
WHOLE_ORGANIZATION = EVERYONE - {Role.TEAM_LEAD}
ADMINISTRATORS = frozenset({Role.OWNER, Role.ADMIN})


class Permission(StrEnum):
    """A permission in an organization, and the roles that have it; its text completes "you may not …"."""

    roles: frozenset[Role]

    def __new__(cls, text: str, roles: frozenset[Role]) -> Self:
        made = str.__new__(cls, text)
        made._value_, made.roles = text, roles
        return made

    SEE_ORGANIZATION = "see the organization", EVERYONE
    READ_FIGURES = "read figures", EVERYONE
    READ_OWN_FIGURES = "see your own figures", EVERYONE
    MANAGE_OWN_CORRECTIONS = "request corrections of your own figures", EVERYONE
    # members.py still protects the owner role.
    MANAGE_OWN_MEMBERSHIP = "leave the organization", EVERYONE
    READ_CORRECTIONS = "see corrections that others request", ADMINISTRATORS
    MANAGE_CORRECTIONS = "accept or reject corrections", ADMINISTRATORS
    READ_SETTINGS = "read the settings of the whole organization", WHOLE_ORGANIZATION
    READ_CONNECTIONS = "open the connections", WHOLE_ORGANIZATION
    READ_REPOSITORY_SETTINGS = "see which repositories are analysed, and how", WHOLE_ORGANIZATION
    # Readers of figures learn that facts are missing. This permission names no connection to them.
    READ_SOURCE_HEALTH = "see whether the connections behind figures fail", EVERYONE
    MANAGE_CONNECTIONS = "change connections", ADMINISTRATORS
    READ_IDENTITY_PROVIDERS = "see identity providers and how members sign in", ADMINISTRATORS
    MANAGE_IDENTITY_PROVIDERS = "change identity providers and how members sign in", ADMINISTRATORS
    READ_MEMBERS = "list the members", WHOLE_ORGANIZATION
    READ_INVITATIONS = "list the invitations", ADMINISTRATORS
    MANAGE_MEMBERS = "manage members and invitations", ADMINISTRATORS
    MANAGE_ORGANIZATION = "change the organization", ADMINISTRATORS
    MANAGE_REPOSITORIES = "change repositories", ADMINISTRATORS
    MANAGE_COMMITS = "exclude commits or analyse them again", ADMINISTRATORS
    READ_EXCLUSIONS = "see excluded commits with their reasons", ADMINISTRATORS
    MANAGE_TEAMS = "change teams and their members", ADMINISTRATORS
    # Leads decide about occurrences within their teams; the row access of figures says which.
    MANAGE_CHECKS = "snooze, resolve or reopen occurrences of checks", EVERYONE - {Role.VIEWER}
    MANAGE_CHECK_SETTINGS = "change the settings of checks", ADMINISTRATORS
    # Leads read the summaries of their teams; the row access of figures says which.
    READ_SUMMARIES = "read summaries", EVERYONE
    # To their own address; leads those of their teams.
    MANAGE_OWN_SUBSCRIPTIONS = "subscribe to summaries", EVERYONE
    MANAGE_SUMMARIES = "write summaries again", WHOLE_ORGANIZATION - {Role.VIEWER}
    READ_IDENTITIES = "see identity decisions and merge suggestions", ADMINISTRATORS
    MANAGE_IDENTITIES = "change, merge or split developers", ADMINISTRATORS
    READ_OWN_TOKENS = "list API keys", EVERYONE
    MANAGE_OWN_TOKENS = "create and revoke API keys", EVERYONE
    ADMINISTER_TOKENS = "see and revoke the API keys of others", ADMINISTRATORS
    READ_INGEST_TOKENS = "list ingest tokens", ADMINISTRATORS
    MANAGE_INGEST_TOKENS = "create and revoke ingest tokens", ADMINISTRATORS
    READ_SCIM_TOKENS = "list SCIM tokens", ADMINISTRATORS
    MANAGE_SCIM_TOKENS = "create and revoke SCIM tokens", ADMINISTRATORS
    # Contract rates are confidential.
    READ_AI_USAGE_SETTINGS = "see agreed prices of models and the developers behind actors", ADMINISTRATORS
    MANAGE_AI_USAGE = "change prices of models and the developers behind actors", ADMINISTRATORS
    READ_CAPEX_CONTROLS = "read CapEx policies, closed months and restatements", WHOLE_ORGANIZATION
    READ_PLAN = "see the plan", WHOLE_ORGANIZATION
    # Only the platform sets the plan of an organization.
    MANAGE_PLAN = "change the plan", frozenset[Role]()
    # An owner pays.
    MANAGE_UPGRADE = "ask for an upgrade", frozenset({Role.OWNER})
    READ_BILLABLE = "list billable developers", ADMINISTRATORS
    MANAGE_CAPEX = "change the CapEx policy or close months", ADMINISTRATORS
    READ_BENCHMARKS = "read benchmarks", EVERYONE
    MANAGE_BENCHMARKS = "change benchmarks", ADMINISTRATORS
    READ_OPERATIONS = "see operations and restatements", WHOLE_ORGANIZATION
    READ_AUDIT_LOG = "read the audit log", ADMINISTRATORS

    @property
    def writes(self) -> bool:
        """Whether a key that may only read is not enough."""
        return self.name.startswith("MANAGE_")


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
# In its own organization; a directory reads no figures.
DIRECTORY = frozenset(
    {
        Permission.SEE_ORGANIZATION,
        Permission.READ_MEMBERS,
        Permission.MANAGE_MEMBERS,
        Permission.MANAGE_TEAMS,
    }
)


def allows(
    permission: Permission,
    role: Role | None,
    *,
    is_platform_administrator: bool = False,
    may_write: bool = True,
    is_directory: bool = False,
) -> bool:
    """Whether a caller of this role (None: no member) has a permission. `may_write` is the scope of an API key,
    `is_directory` says that it is a directory of the organization.
    """
    if permission.writes and not may_write:
        return False
    if is_platform_administrator and permission in PLATFORM_ADMINISTRATOR:
        return True
    if is_directory:
        return permission in DIRECTORY
    return role is not None and role in permission.roles
