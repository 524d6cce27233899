"""Jira Cloud: issues of every level over the REST interface, version 3.

`/search` is gone (410): `/search/jql` pages by tokens, which end after seven days. A token with scopes works only on
https://api.atlassian.com/ex/jira/{cloudId}: https://support.atlassian.com/atlassian-account/docs/manage-api-tokens-for-your-atlassian-account/
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

from ingest.connections.model import Checked, Connection, Slice, Stream, WantedRepository
from ingest.connections.parsing import id_of, slice_of
from ingest.connections.trackers.records import Item
from ingest.connections.trackers.tracker import Tracker
from ingest.connections.values import text
from ingest.errors import IngestError, ProviderRefused, Refusal
from ingest.http.client import Client, Login
from ingest.http.pages import BodyToken, OffsetOfTotal, Query, all_rows, pages
from ingest.http.rate_limits import RateLimits
from ingest.json_paths import at
from ingest.providers.jira import queries
from ingest.providers.jira.changes import Json
from ingest.providers.jira.issues import Site, item

ISSUES = BodyToken(("issues",), ("nextPageToken",), "nextPageToken", last=("isLast",))
CHANGELOGS = BodyToken(("issueChangeLogs",), ("nextPageToken",), "nextPageToken")
PROJECTS = OffsetOfTotal(("values",), ("total",), "startAt")
PAGE, PAGE_OF_IDS = 100, 5_000
PAGE_OF_CHANGES = 1_000
GATEWAY = "api.atlassian.com"
TOKENS = "https://id.atlassian.com/manage-profile/security/api-tokens"


class JiraCloud(Tracker):
    kind = "JIRA_CLOUD"
    title = "Jira Cloud"
    needs_user = True
    options = queries.OPTIONS
    levels = queries.LEVELS
    rate_limits = RateLimits(
        remaining="x-ratelimit-remaining",
        reset="x-ratelimit-reset",
        reset_format="iso",
        refusal=queries.refusal,
    )

    def login(self, connection: Connection) -> Login:
        return Login.basic(f"{_site(connection)}/rest/api/3", connection.user, connection.secret)

    def check(self, client: Client, connection: Connection) -> Checked:
        try:
            user = client.get("myself").body
        except ProviderRefused as error:
            raise _explained(client, connection, error) from error
        query = {"jql": queries.jql(connection, None, None), "fields": ["id"], "maxResults": 1}
        try:
            rows = at(client.query("search/jql", query).body, ISSUES.rows) or []
        except ProviderRefused as error:
            raise queries.refused_projects(self.title, connection, error) from error
        sees_projects = bool(rows) or bool(
            at(client.get("project/search", {"maxResults": 1}).body, ("values", 0))
        )
        return queries.check_issues(self.title, connection, user, rows, sees_projects)

    def streams(
        self, client: Client, connection: Connection, repositories: Sequence[WantedRepository]
    ) -> Iterator[Stream]:
        user = client.get("myself").body
        site = queries.site_of(client, _browse_address(client, connection), partial(_projects, client))
        issues = _Issues(client, connection, site, queries.zone_of(user))
        yield Stream(queries.stream_of(site), "items", issues.read, issues.list_ids)


@dataclass(frozen=True)
class _Issues:
    """The issues of a site, or of the projects in the option."""

    client: Client
    connection: Connection
    site: Site
    zone: ZoneInfo | None

    def read(self, since: datetime | None, cursor: str | None) -> Iterator[Slice]:
        """Issues with their changelogs, a page at a time."""
        query = self._query(since, queries.requested_fields(self.site), PAGE)
        for page in pages(self.client, query, ISSUES, cursor):
            changes = _changelogs(self.client, list(queries.ids_of(page.rows)))
            record = partial(self._item, changes)
            yield slice_of(page.rows, record, queries.issue_id, page.cursor)

    def _item(self, changes: dict[str, list[Json]], issue: Json) -> Item:
        return item(issue, changes.get(str(issue["id"]), ()), self.site)

    def list_ids(self) -> Iterator[str]:
        """Ids of all issues that the account sees."""
        for page in pages(self.client, self._query(None, ["id"], PAGE_OF_IDS), ISSUES):
            yield from map(id_of, page.rows)

    def _query(self, since: datetime | None, fields: list[str], size: int) -> Query:
        jql = queries.jql(self.connection, since, self.zone)
        return Query("search/jql", {}, {"jql": jql, "fields": fields, "maxResults": size})


def _projects(client: Client) -> list[Json]:
    query = Query("project/search", {"expand": "projectKeys", "maxResults": PAGE, "startAt": 0})
    return all_rows(client, pages(client, query, PROJECTS))


def _changelogs(client: Client, ids: list[str]) -> dict[str, list[Json]]:
    """Changes by issue id. Those of one issue may lie on several pages; the search itself cuts long changelogs."""
    found: dict[str, list[Json]] = {}
    if not ids:
        return found
    body = {"issueIdsOrKeys": ids, "maxResults": PAGE_OF_CHANGES}
    for page in pages(client, Query("changelog/bulkfetch", {}, body), CHANGELOGS):
        for one in page.rows:
            found.setdefault(str(at(one, ("issueId",))), []).extend(at(one, ("changeHistories",)) or [])
    return found


def _site(connection: Connection) -> str:
    """The address below which the API lies: people copy addresses of pages such as …/jira/your-work."""
    parts = urlsplit(connection.address)
    is_site = (parts.hostname or "").endswith((".atlassian.net", ".jira.com"))
    return f"{parts.scheme}://{parts.netloc}" if is_site else connection.address


def _is_gateway(connection: Connection) -> bool:
    return urlsplit(connection.address).hostname == GATEWAY


def _browse_address(client: Client, connection: Connection) -> str:
    """The address of pages, which the gateway for tokens with scopes hides."""
    if not _is_gateway(connection):
        return _site(connection)
    return (text(at(client.get("serverInfo").body, ("baseUrl",))) or connection.address).rstrip("/")


def _explained(client: Client, connection: Connection, error: ProviderRefused) -> ProviderRefused:
    """The refusal of the user as a sentence for the dialog in which the token is added."""
    sentences = _GATEWAY_SENTENCES if _is_gateway(connection) else _SITE_SENTENCES
    sentence = sentences.get(error.refusal)
    if sentence is None or "CAPTCHA" in error.message:
        return error
    host = urlsplit(connection.address).netloc
    gateway = ""
    if error.refusal is Refusal.UNAUTHORIZED and not _is_gateway(connection):
        gateway = f"https://{GATEWAY}/ex/jira/{_cloud_id(client, connection)}"
    message = sentence.format(host=host, gateway=gateway, tokens=TOKENS)
    return ProviderRefused(error.refusal, message, error.status)


_SITE_SENTENCES = {
    Refusal.UNAUTHORIZED: "{host} does not accept the email address and the token. A token with scopes works only on"
    " another address: enter {gateway} instead. Otherwise create a token without scopes at {tokens}, and enter the"
    " email address of the account that made it.",
    Refusal.FORBIDDEN: "The account of the token may not use Jira on {host}: an administrator has to give it access to"
    " the product.",
    Refusal.NOT_FOUND: "{host} has no Jira: check the name of the site, as in https://your-site.atlassian.net.",
}
_GATEWAY_SENTENCES = {
    Refusal.UNAUTHORIZED: "Jira Cloud does not accept the email address and the token: the address {host} takes tokens"
    " with the scopes read:jira-work and read:jira-user. Create one at {tokens}.",
    Refusal.FORBIDDEN: "The token lacks a scope, or its account may not use Jira: it needs read:jira-work and"
    " read:jira-user.",
    Refusal.NOT_FOUND: "{host} knows no site of this cloud id: open https://your-site.atlassian.net/_edge/tenant_info,"
    f" and enter https://{GATEWAY}/ex/jira/ followed by the cloudId there.",
}


def _cloud_id(client: Client, connection: Connection) -> str:
    """The cloud id of a site, which everybody may read."""
    try:
        found = text(at(client.get(f"{_site(connection)}/_edge/tenant_info").body, ("cloudId",)))
    except IngestError:
        found = None
    return found or f"{{cloudId}} with the cloudId of {_site(connection)}/_edge/tenant_info"
