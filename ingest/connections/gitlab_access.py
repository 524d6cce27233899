"""Access to GitLab, in the cloud and self-managed: addresses, login and limits.

Git hosts and trackers can share it. Keep out: the check of a token (`gitlab_token`), projects, merge requests, issues.
"""

from __future__ import annotations

from urllib.parse import quote

from ingest.connections.model import Connection
from ingest.http import Login, RateLimits
from ingest.pages import Links

ADDRESS = "https://gitlab.com"
NEXT = Links(keeps_address=True)
"""The next page. A server behind a proxy writes links with the address that its own setting names."""
RATE_LIMITS = RateLimits(remaining="ratelimit-remaining", reset="ratelimit-reset")


def login(connection: Connection) -> Login:
    """The login with a personal, group or project access token."""
    return Login(f"{_base(connection)}/api/v4", {"PRIVATE-TOKEN": connection.secret}, (connection.secret,))


def graphql_address(connection: Connection) -> str:
    """The GraphQL address beside the REST address."""
    return f"{_base(connection)}/api/graphql"


def project_path(path: str | int) -> str:
    """The path of a project or group, or its number, as one step of an address."""
    return quote(str(path), safe="")


def _base(connection: Connection) -> str:
    return connection.address.removesuffix("/api/v4")
