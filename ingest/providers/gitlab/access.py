"""Access to GitLab, in the cloud and self-managed: addresses, login, limits, and the list of projects.

Git hosts and trackers can share it. Keep out: the check of a token (`token`), merge requests, issues.
"""

from __future__ import annotations

from urllib.parse import quote

from ingest.connections.model import Connection
from ingest.http.client import Login, RateLimits
from ingest.http.pages import Links, Query

ADDRESS = "https://gitlab.com"
NEXT = Links(keeps_address=True)
"""The next page. A server behind a proxy writes links with the address that its own setting names."""
# Pages by number end at 50,000 projects; this list continues after the id of the last project.
PROJECTS = Query(
    "projects",
    {"membership": "true", "pagination": "keyset", "order_by": "id", "sort": "asc", "per_page": 100},
)
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
