"""Queries to Jira in its language JQL, and what a run reads of a site before its issues.

JQL compares times by the minute in the time zone of the token's user. Within a window issues are ordered by creation,
which no change moves, so that none jumps between two pages.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from ingest.connections.model import Checked, Connection
from ingest.connections.values import text, texts
from ingest.errors import ProviderRefused, Refusal
from ingest.http.client import Answer, Client
from ingest.json_paths import at
from ingest.providers.jira.issues import Site, custom_fields, person, status_categories

SYSTEM_FIELDS = (
    "summary", "status", "statuscategorychangedate", "issuetype", "parent", "project", "assignee", "reporter",
    "creator", "priority", "labels", "components", "fixVersions", "created", "updated", "resolutiondate",
    "resolution", "duedate", "issuelinks",
)  # fmt: skip
"""Without `subtasks`: each of them names its parent, and the list has their statuses, which change on their own."""
START = "1970/01/02 00:00"
"""Cloud refuses a query without a limit. This one is after 1970 in every time zone."""
UNKNOWN_ZONE = timedelta(hours=24)
"""No zone is further from UTC: a query without a known zone reads so much more."""
LEVELS = {"level_1": "sub_objective"} | {f"level_{height}": "objective" for height in range(2, 11)}
OPTIONS = {"projects": "Keys of the projects to read. Empty: every project that the account sees."}
_PROJECT = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def requested_fields(site: Site) -> list[str]:
    """Names of all fields that items need: Jira sends what is asked for."""
    return [*SYSTEM_FIELDS, *sorted({name for names in site.fields.values() for name in names})]


def site_of(
    client: Client,
    browse_address: str,
    projects: Callable[[], Iterable[Any]],
    levels: Mapping[str, int] | None = None,
) -> Site:
    """Reads the fields and statuses of a site. `projects` lists its projects with all their keys."""
    try:
        former = former_keys(projects())
    except ProviderRefused as error:
        if error.refusal not in (Refusal.NOT_FOUND, Refusal.FORBIDDEN, Refusal.INVALID):
            raise
        former = {}
    return Site(
        browse_address,
        custom_fields(client.get("field").body),
        status_categories(client.get("status").body),
        levels or {},
        former,
    )


def former_keys(projects: Iterable[Any]) -> dict[str, list[str]]:
    """Keys that projects gave up, by their key of today; without those that another project has now."""
    keys = {found: texts(at(one, ("projectKeys",))) for one in projects if (found := text(at(one, ("key",))))}
    given_up = {key: sorted(set(every) - keys.keys()) for key, every in keys.items()}
    return {key: former for key, former in sorted(given_up.items()) if former}


def stream_of(site: Site) -> str:
    """The name of the stream of issues. After a project got another key it is another one: all keys of its issues
    changed, and Jira calls none of them changed.
    """
    renamed = [f"{'+'.join(former)}={key}" for key, former in site.former_keys.items()]
    return "/".join(["issues", *renamed])


def zone_of(user: Any) -> ZoneInfo | None:
    """The time zone of the token's user; None if it is not stated or unknown here."""
    name = text(at(user, ("timeZone",)))
    try:
        return ZoneInfo(name) if name else None
    except (KeyError, ValueError, OSError):
        return None


def jql(connection: Connection, since: datetime | None, zone: ZoneInfo | None) -> str:
    """The query for issues changed at or after a time. Raises ProviderRefused for a key that is none."""
    wanted = projects_of(connection)
    limit = minute(since, zone) if since else START
    restriction = f"project in ({', '.join(quoted(key) for key in wanted)}) AND " if wanted else ""
    return f'{restriction}updated >= "{limit}" ORDER BY created ASC, key ASC'


def minute(since: datetime, zone: ZoneInfo | None) -> str:
    """A time for JQL, never later than `since`."""
    if zone is None:
        return (since.astimezone(UTC) - UNKNOWN_ZONE).strftime("%Y/%m/%d %H:%M")
    local = since.astimezone(zone)
    if local.replace(fold=0).utcoffset() != local.replace(fold=1).utcoffset():
        # Clocks go back: this time of day comes twice, and JQL cannot say which one it means.
        local = (since - timedelta(hours=1)).astimezone(zone)
    return local.strftime("%Y/%m/%d %H:%M")


def projects_of(connection: Connection) -> list[str]:
    """The keys in the option `projects`, a list or text with commas. Raises ProviderRefused for a key that is none."""
    option = connection.options.get("projects") or []
    listed = option.split(",") if isinstance(option, str) else [str(one) for one in option]
    keys = [key for one in listed if (key := one.strip())]
    for key in keys:
        if not _PROJECT.fullmatch(key):
            raise ProviderRefused(
                Refusal.INVALID, f"{key[:40]!r} is no key of a Jira project, such as ABC: correct `projects`."
            )
    return keys


def refusal(answer: Answer) -> ProviderRefused | None:
    """Jira says only in a header that it wants a person to log in before it accepts the account again."""
    denied = answer.headers.get("x-authentication-denied-reason", "")
    if "CAPTCHA" in denied or answer.headers.get("x-seraph-loginreason") == "AUTHENTICATION_DENIED":
        return ProviderRefused(
            Refusal.UNAUTHORIZED,
            "Jira wants a CAPTCHA after failed logins of this account: log in once in a browser, then try again.",
            answer.status,
        )
    return None


def check_issues(
    title: str, connection: Connection, user: Any, rows: list[Any], sees_projects: bool
) -> Checked:
    """The end of a check: Jira answers an unknown user with an empty list, so the user and a row are needed."""
    account = person(user)
    if account is None:
        raise ProviderRefused(
            Refusal.UNAUTHORIZED,
            f"{title} answers as for an anonymous user: it ignores the token. Create a new one.",
        )
    if not rows and not sees_projects:
        raise ProviderRefused(
            Refusal.FORBIDDEN,
            f"The account of the token sees no project in {title}: give it the permission Browse projects.",
        )
    name = text(at(user, ("displayName",))) or account
    empty = (
        ""
        if rows
        else f"The account sees no issue{' in these projects' if projects_of(connection) else ''} yet."
    )
    return Checked(name, warnings=(empty,) if empty else ())


def refused_projects(title: str, connection: Connection, error: ProviderRefused) -> ProviderRefused:
    """The refusal of a search as a sentence for the dialog."""
    keys = projects_of(connection)
    if error.refusal is not Refusal.INVALID or not keys:
        return error
    return ProviderRefused(
        Refusal.INVALID,
        f"{title} does not know one of the projects {', '.join(keys)}, or the account may not browse it"
        f" ({error.message}): correct `projects`.",
        error.status,
    )


def issue_id(issue: Any) -> str:
    """The id of an issue, which survives moves."""
    return str(issue["id"])


def ids_of(rows: list[Any]) -> Iterator[str]:
    """The ids of issues in an answer, but for rows without one."""
    return (str(found) for row in rows if (found := at(row, ("id",))))


def quoted(key: str) -> str:
    """A key that the grammar of keys admits, as JQL has text: a key may be a word of JQL."""
    return f'"{key}"'
