"""GitHub Issues: issues with types and sub-issues, milestones and Projects, over GraphQL.

Issues are asked for in the order of their changes with cursors, because numbered pages skip an issue whenever an
earlier one changes. A change of a project's field does not count as a change of its issue, so such values are as of
the issue's last change. Keep out: rows (`items`), documents (`issue_documents`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, ClassVar
from urllib.parse import urlsplit

from ingest.connections import news
from ingest.connections.model import Checked, Connection, Slice, Stream, WantedRepository
from ingest.connections.parsing import id_of, slice_of
from ingest.connections.trackers.tracker import Tracker
from ingest.errors import ProviderRefused, Refusal
from ingest.http.answers import Answer
from ingest.http.client import Client, Login
from ingest.http.graphql_errors import graphql_codes
from ingest.http.pages import GraphQl, Links, Query, all_rows, pages
from ingest.json_paths import at
from ingest.providers.github import access as github
from ingest.providers.github import issue_documents as documents
from ingest.providers.github import items
from ingest.providers.github.token import check_token

SCOPES = {
    "repo": "issues of private repositories are missing.",
    "read:project": "Projects are missing, so issues have no objective above their milestone.",
}
NO_PROJECTS = frozenset(
    {Refusal.MISSING_SCOPE, Refusal.FORBIDDEN, Refusal.NOT_FOUND, Refusal.GONE, Refusal.PLAN_REQUIRED}
)


@dataclass
class _Server:
    """The server as a run knows it: its GraphQL address, fields that it has, owners with unreadable Projects."""

    endpoint: str
    issue_fields: frozenset[str]
    project_fields: frozenset[str]
    without_projects: set[str] = field(default_factory=set)


class GitHubIssues(Tracker):
    kind = "GITHUB_ISSUES"
    title = "GitHub Issues"
    default_address = github.ADDRESS
    levels: ClassVar = {
        "project": "objective",
        "initiative": "objective",
        "milestone": "sub_objective",
        "epic": "sub_objective",
        "issue": "issue",
    }
    rate_limits = github.RATE_LIMITS

    def login(self, connection: Connection) -> Login:
        # Issue types were behind this feature before every server had them.
        login = github.login(connection)
        return replace(login, headers={**login.headers, "GraphQL-Features": "issue_types,sub_issues"})

    def check(self, client: Client, connection: Connection) -> Checked:
        return check_token(client, connection, SCOPES)

    def streams(
        self, client: Client, connection: Connection, repositories: Sequence[WantedRepository]
    ) -> Iterator[Stream]:
        endpoint = github.graphql_address(connection.address)
        server = _probe(client, endpoint)
        found: list[items.Repository] = []

        def look_up(_since: datetime | None, _cursor: str | None) -> Iterator[Slice]:
            found.clear()
            wanted = [one for one in repositories if _is_here(one, connection)]
            notes: dict[str, str] = {}
            for start in range(0, len(wanted), documents.LOOKUP):
                seen, unseen = _look_up(client, endpoint, wanted[start : start + documents.LOOKUP])
                found.extend(seen)
                notes |= {origin: f"{origin} is not readable with this token." for origin in unseen}
            yield Slice([], None, notes=notes)

        # It has no rows of its own: the names and ids of repositories, for the streams after it.
        yield Stream("repositories", "items", look_up, is_incremental=False)
        if server.project_fields:
            for owner in sorted({one.owner for one in found}):
                read = partial(_projects, client, server, owner)
                yield Stream(f"projects/{owner}", "items", read, is_incremental=False)
        for repository in found:
            read = partial(_milestones, client, endpoint, repository)
            yield Stream(
                f"milestones/{repository.id}",
                "items",
                read,
                is_incremental=False,
                version=repository.changes,
                newest=news.newest_of(at(repository.changes, (1,))),
            )
            # A renamed repository is another stream: the keys of all its issues changed.
            yield Stream(
                f"issues/{repository.id}/{repository.full_name}",
                "items",
                partial(_issues, client, server, repository),
                list_ids=partial(_issue_ids, client, endpoint, repository),
                version=repository.changes,
                newest=news.newest_of(at(repository.changes, (0,))),
            )


def _is_here(wanted: WantedRepository, connection: Connection) -> bool:
    """Whether a remote URL is one of this GitHub. The port is that of Git over ssh."""
    host, *path = wanted.origin.split("/")
    here = (urlsplit(connection.address).hostname or "").removeprefix("api.").removeprefix("www.")
    return host.partition(":")[0].lower() == here and len(path) == 2


def _probe(client: Client, endpoint: str) -> _Server:
    data = at(client.query(endpoint, _body(documents.PROBE, {})).body, ("data",)) or {}
    issue, project = (
        frozenset(field["name"] for field in at(data, (name, "fields")) or [])
        for name in ("issue", "project")
    )
    return _Server(endpoint, issue, project)


def _look_up(
    client: Client, endpoint: str, wanted: Sequence[WantedRepository]
) -> tuple[list[items.Repository], list[str]]:
    """The repositories that the token sees, and the origins of the others. Those without issues are in neither."""
    variables: dict[str, Any] = {}
    for number, one in enumerate(wanted):
        _, owner, name = one.origin.rsplit("/", 2)
        variables |= {f"o{number}": owner, f"n{number}": name}
    answer = client.query(endpoint, _body(documents.lookup(len(wanted)), variables))
    seen, unseen = [], []
    for number, one in enumerate(wanted):
        shown = at(answer.body, ("data", f"r{number}"))
        if shown is None:
            unseen.append(one.origin)
        elif shown["hasIssuesEnabled"]:
            seen.append(_repository(shown, one, client.server_time))
    return seen, unseen


def _repository(shown: dict[str, Any], wanted: WantedRepository, clock: datetime | None) -> items.Repository:
    full_name = str(shown["nameWithOwner"])
    owner, _, name = full_name.partition("/")
    known_as = wanted.origin.partition("/")[2]
    changes = [shown.get("issues"), shown.get("milestones")]
    return items.Repository(
        str(shown["databaseId"]),
        owner,
        name,
        wanted.repository_id,
        known_as if known_as.lower() != full_name.lower() else None,
        changes if all(news.tells_all(one, clock) for one in changes) else None,
    )


def _projects(
    client: Client, server: _Server, owner: str, _since: datetime | None, cursor: str | None
) -> Iterator[Slice]:
    variables = {"owner": owner, "first": documents.IDS_PAGE}
    first = Query(server.endpoint, body=_body(documents.projects(server.project_fields), variables))
    style = GraphQl(("repositoryOwner", "projectsV2"), sizes=("first",))
    try:
        for page in pages(client, first, style, cursor):
            rows = [one for one in page.rows if at(one, ("template",)) is not True]
            part = slice_of(_shown(rows, page.answer), items.project, _id, page.cursor)
            hidden = f"The token may not read {len(page.rows)} Projects of {owner}."
            yield replace(part, notes={} if part.rows or not _is_forbidden(page.answer) else {owner: hidden})
    except ProviderRefused as error:
        if error.refusal not in NO_PROJECTS:
            raise
        server.without_projects.add(owner)
        yield Slice([], None, notes={owner: f"Projects are not readable: {error}"})


def _milestones(
    client: Client, endpoint: str, repository: items.Repository, _since: datetime | None, cursor: str | None
) -> Iterator[Slice]:
    variables = {"owner": repository.owner, "name": repository.name, "first": documents.IDS_PAGE}
    first = Query(endpoint, body=_body(documents.milestones(), variables))
    for page in pages(client, first, GraphQl(("repository", "milestones"), sizes=("first",)), cursor):
        yield slice_of(page.rows, partial(items.milestone, repository), _id, page.cursor)


def _issues(
    client: Client, server: _Server, repository: items.Repository, since: datetime | None, cursor: str | None
) -> Iterator[Slice]:
    asked = since.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if since else None
    variables = {"owner": repository.owner, "name": repository.name, "first": documents.PAGE, "since": asked}
    with_projects = repository.owner not in server.without_projects
    document = documents.issues(server.issue_fields, with_projects=with_projects)
    first = Query(server.endpoint, body=_body(document, variables))
    types = {} if "issueType" in server.issue_fields else _types(client, repository, asked)

    def rest(one: dict[str, Any], name: str) -> list[Any]:
        return _all(client, server.endpoint, one, name)

    for page in pages(client, first, GraphQl(("repository", "issues"), sizes=("first",)), cursor):
        rows = _shown(page.rows, page.answer)
        yield slice_of(rows, partial(items.issue, repository, types, rest), _id, page.cursor)


def _issue_ids(client: Client, endpoint: str, repository: items.Repository) -> Iterator[str]:
    variables = {"owner": repository.owner, "name": repository.name, "first": documents.IDS_PAGE}
    first = Query(endpoint, body=_body(documents.issue_ids(), variables))
    for page in pages(client, first, GraphQl(("repository", "issues"), sizes=("first",))):
        for one in page.rows:
            yield id_of(one)


def _types(client: Client, repository: items.Repository, since: str | None) -> dict[int, str]:
    """Names of types by number of issue from REST, of a server that does not know them in GraphQL.

    A server that does not know them at all ignores the filter; its first page shows that.
    """
    params = {"state": "all", "type": "*", "per_page": 100} | ({"since": since} if since else {})
    found: dict[int, str] = {}
    first = Query(f"repos/{repository.owner}/{repository.name}/issues", params)
    for page in pages(client, first, Links()):
        typed = {one["number"]: one["type"]["name"] for one in page.rows if at(one, ("type", "name"))}
        if not typed:
            break
        found |= typed
    return found


def _all(client: Client, endpoint: str, one: dict[str, Any], name: str) -> list[Any]:
    """All nodes of a nested connection: those of the page, and the rest from the issue itself."""
    nodes = list(at(one, (name, "nodes")) or [])
    info = at(one, (name, "pageInfo")) or {}
    if info.get("hasNextPage"):
        variables = {"id": one["id"], "after": info["endCursor"]}
        rest = Query(endpoint, body=_body(documents.nested(name), variables))
        nodes += all_rows(client, pages(client, rest, GraphQl(("node", name))))
    return [node for node in nodes if node is not None]


def _shown(rows: Sequence[Any], answer: Answer) -> list[Any]:
    """The rows without those that the token may not read, which are null beside an error."""
    return [one for one in rows if one is not None] if _is_forbidden(answer) else list(rows)


def _is_forbidden(answer: Answer) -> bool:
    return bool(graphql_codes(answer.body) & {"FORBIDDEN", "INSUFFICIENT_SCOPES"})


def _body(document: str, variables: dict[str, Any]) -> dict[str, Any]:
    return {"query": document, "variables": variables}


def _id(one: Any) -> str:
    return str(one["id"])
