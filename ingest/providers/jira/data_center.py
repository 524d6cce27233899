"""Jira Data Center and Server from 8.14 on: issues of every level over the REST interface, version 2.

Parents above sub-tasks are custom fields that name keys, not ids: the epic, and the parent of Advanced Roadmaps.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import Any
from urllib.parse import quote, urlsplit
from zoneinfo import ZoneInfo

from ingest.connections.model import Checked, Connection, Slice, Stream, WantedRepository
from ingest.connections.parsing import id_of, slice_of
from ingest.connections.trackers.records import Item
from ingest.connections.trackers.tracker import Tracker
from ingest.connections.values import number
from ingest.errors import ProviderRefused, Refusal
from ingest.http.client import Client, Login
from ingest.http.pages import OffsetOfTotal, Query, all_rows, pages
from ingest.http.rate_limits import RateLimits
from ingest.json_paths import at
from ingest.providers.jira import queries
from ingest.providers.jira.changes import Json
from ingest.providers.jira.issues import Site, item, parent_keys

ISSUES = OffsetOfTotal(("issues",), ("total",), "startAt", overlap=5)
"""Nobody deletes more issues of a page during one request than the overlap has."""
CHANGELOG = OffsetOfTotal(("values",), ("total",), "startAt")
PAGE, PAGE_OF_IDS = 100, 1_000
FIRST_WITH_TOKENS = (8, 14)
_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_]*-[0-9]+")


class JiraDataCenter(Tracker):
    kind = "JIRA_DATA_CENTER"
    title = "Jira Data Center"
    options = queries.OPTIONS
    levels = queries.LEVELS
    rate_limits = RateLimits(remaining="x-ratelimit-remaining", reset_format="iso", refusal=queries.refusal)

    def login(self, connection: Connection) -> Login:
        return Login.bearer(f"{connection.address}/rest/api/2", connection.secret)

    def check(self, client: Client, connection: Connection) -> Checked:
        _check_server(client, connection)
        try:
            user = client.get("myself").body
        except ProviderRefused as error:
            if error.refusal is not Refusal.UNAUTHORIZED or "CAPTCHA" in error.message:
                raise
            raise ProviderRefused(
                Refusal.UNAUTHORIZED,
                f"{_host(connection)} does not accept the token: it is wrong, revoked or expired. Create a personal"
                " access token in your profile in Jira.",
                error.status,
            ) from error
        params = {"jql": queries.jql(connection, None, None), "fields": "id", "maxResults": 1}
        try:
            rows = at(client.get("search", params).body, ISSUES.rows) or []
        except ProviderRefused as error:
            raise queries.refused_projects(self.title, connection, error) from error
        sees_projects = bool(rows) or bool(client.get("project").body)
        return queries.check_issues(self.title, connection, user, rows, sees_projects)

    def streams(
        self, client: Client, connection: Connection, repositories: Sequence[WantedRepository]
    ) -> Iterator[Stream]:
        user = client.get("myself").body
        projects = partial(_projects, client)
        site = queries.site_of(client, connection.address, projects, _levels(client, connection))
        issues = _Issues(client, connection, site, queries.zone_of(user))
        yield Stream(queries.stream_of(site), "items", issues.read, issues.list_ids)


@dataclass(frozen=True)
class _Issues:
    """The issues of a site, or of the projects in the option.

    `ids` are ids of issues by key, as far as they are known; None for a key that the account does not see.
    """

    client: Client
    connection: Connection
    site: Site
    zone: ZoneInfo | None
    ids: dict[str, str | None] = field(default_factory=dict)

    def read(self, since: datetime | None, cursor: str | None) -> Iterator[Slice]:
        """Issues with their changelogs, a page at a time."""
        query = self._query(since, ",".join(queries.requested_fields(self.site)), PAGE, "changelog")
        for page in pages(self.client, query, ISSUES, cursor):
            self._learn(page.rows)
            yield slice_of(page.rows, self._item, queries.issue_id, page.cursor)

    def list_ids(self) -> Iterator[str]:
        """Ids of all issues that the account sees."""
        for page in pages(self.client, self._query(None, "id", PAGE_OF_IDS, ""), ISSUES):
            yield from map(id_of, page.rows)

    def _query(self, since: datetime | None, fields: str, size: int, expand: str) -> Query:
        jql = queries.jql(self.connection, since, self.zone)
        params = {"jql": jql, "fields": fields, "maxResults": size, "startAt": 0}
        return Query("search", params | ({"expand": expand} if expand else {}))

    def _item(self, issue: Json) -> Item:
        return item(issue, self._histories(issue), self.site, self.ids)

    def _histories(self, issue: Json) -> list[Json]:
        """The changes of an issue. Newer versions cut long changelogs in a search and state their total."""
        found = issue.get("changelog")
        if not _is_cut(found):
            return list(at(found, ("histories",)) or [])
        path = f"issue/{quote(str(issue['id']), safe='')}"
        found = self.client.get(path, {"fields": "created", "expand": "changelog"}).body["changelog"]
        if not _is_cut(found):
            return list(found["histories"])
        every = pages(self.client, Query(f"{path}/changelog", {"startAt": 0}), CHANGELOG)
        return all_rows(self.client, every)

    def _learn(self, rows: Sequence[Any]) -> None:
        """Know the ids of the issues of a page and of their parents."""
        issues = [row for row in rows if isinstance(row, dict) and isinstance(row.get("fields"), dict)]
        self.ids.update((str(row.get("key")), str(row.get("id"))) for row in issues)
        named = {key for row in issues for key in parent_keys(row["fields"], self.site)}
        self.ids.update(
            _ids(self.client, sorted(key for key in named - set(self.ids) if _KEY.fullmatch(key)))
        )


def _projects(client: Client) -> list[Json]:
    found = client.get("project", {"expand": "projectKeys"}).body
    return found if isinstance(found, list) else []


def _ids(client: Client, keys: list[str]) -> dict[str, str]:
    """Ids of issues by key, of those that the account sees."""
    if not keys:
        return {}
    # Without the flag Jira refuses the whole query for one issue that the account does not see.
    params = {
        "jql": f"key in ({', '.join(map(queries.quoted, keys))})",
        "fields": "id",
        "maxResults": PAGE,
        "startAt": 0,
    }
    try:
        every = pages(client, Query("search", params | {"validateQuery": "false"}), ISSUES)
        found = {str(row["key"]): str(row["id"]) for page in every for row in page.rows}
    except ProviderRefused as error:
        if error.refusal is not Refusal.INVALID:
            raise
        found = {}
    # An issue that moved answers to its old key, but the list has the new one.
    single = partial(_id, client)
    return found | {key: one for key in keys if key not in found and (one := single(key)) is not None}


def _id(client: Client, key: str) -> str | None:
    try:
        return str(client.get(f"issue/{quote(key, safe='')}", {"fields": "created"}).body["id"])
    except ProviderRefused as error:
        if error.refusal in (Refusal.NOT_FOUND, Refusal.FORBIDDEN):
            return None
        raise


def _levels(client: Client, connection: Connection) -> dict[str, int]:
    """Levels of issue types by id, from Advanced Roadmaps; empty without that product."""
    try:
        listed = client.get(f"{connection.address}/rest/jpo-api/1.0/hierarchy").body
    except ProviderRefused as error:
        if error.refusal in (Refusal.NOT_FOUND, Refusal.FORBIDDEN, Refusal.BAD_ADDRESS):
            return {}
        raise
    entries = [one for one in (listed if isinstance(listed, list) else []) if isinstance(one, dict)]
    epics = {
        str(at(one, ("id",))) for one in client.get("issuetype").body or [] if at(one, ("name",)) == "Epic"
    }
    heights = {
        str(kind): int(one["id"])
        for one in entries
        if isinstance(one.get("id"), int)
        for kind in one.get("issueTypeIds") or []
    }
    # Its numbers start anywhere; the level of epics is 1.
    of_epics = next((height for kind, height in heights.items() if kind in epics), None)
    return {kind: height - of_epics + 1 for kind, height in heights.items()} if of_epics is not None else {}


def _is_cut(changelog: Any) -> bool:
    total = at(changelog, ("total",))
    return isinstance(total, int) and total > len(at(changelog, ("histories",)) or [])


def _check_server(client: Client, connection: Connection) -> None:
    """Refuse addresses without Jira, and versions without tokens. Everybody may read this answer."""
    try:
        about = client.get("serverInfo").body
    except ProviderRefused as error:
        if error.refusal not in (Refusal.NOT_FOUND, Refusal.BAD_ADDRESS):
            raise
        raise ProviderRefused(
            Refusal.BAD_ADDRESS,
            f"No Jira answers at {connection.address}: the address needs the context path, such as"
            f" https://{_host(connection)}/jira.",
            error.status,
        ) from error
    if at(about, ("deploymentType",)) == "Cloud":
        raise ProviderRefused(
            Refusal.BAD_ADDRESS, f"{_host(connection)} is Jira Cloud: choose that kind instead."
        )
    version = at(about, ("versionNumbers",))
    numbers = [number(one) or 0 for one in version[:2]] if isinstance(version, list) else []
    if numbers and tuple(numbers) < FIRST_WITH_TOKENS:
        raise ProviderRefused(
            Refusal.UNAUTHORIZED,
            f"Jira {'.'.join(map(str, numbers))} has no personal access tokens: they came with 8.14.",
        )


def _host(connection: Connection) -> str:
    return urlsplit(connection.address).netloc
