"""Pull requests of GitHub, page by page.

GitHub has no filter by time: changes are read from the newest one backwards until a known one, everything else from
the oldest one forwards, where a cursor stays valid while pull requests change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any, NoReturn

from ingest.connections import news
from ingest.connections.git_hosts.records import PullRequest, Repository
from ingest.connections.model import Deferred, Slice
from ingest.connections.values import instant, text
from ingest.errors import ProviderRefused, Refusal
from ingest.http.client import Answer, Client
from ingest.http.graphql_errors import graphql_codes, refusal_of
from ingest.http.pages import GraphQl, Page, Query, pages
from ingest.json_paths import at
from ingest.providers.github.pull_request_documents import (
    LISTS,
    NUMBERS,
    PULL_REQUESTS,
    REST_OF,
    newest_changes,
)
from ingest.providers.github.records import pull_request

SIZE, INNER = 25, 50
"""Pull requests of a page and, of each, reviews, commits and events. GitHub gives up after ten seconds."""
REST, PROBED = 100, 50
"""`PROBED` are repositories of a question for their newest changes."""
HISTORY = ("reviews", "commits", "timelineItems", "mergeCommit")
"""A row without these would pass for one that never had them."""
CONNECTION = ("repository", "pullRequests")


def graphql_address(client: Client) -> str:
    """Address of GraphQL: beside `/api/v3` on Enterprise Server, below the API's own host in the cloud."""
    return client.login.address.removesuffix("/v3") + "/graphql"


def read_pull_requests(
    client: Client, repository: Repository, repository_id: str, since: datetime | None, cursor: str | None
) -> Iterator[Slice]:
    """Slices of the pull requests that changed since a time. Raises ProviderRefused for a repository out of reach."""
    order = ("CREATED_AT", "ASC") if since is None else ("UPDATED_AT", "DESC")
    variables = {
        "owner": repository.owner,
        "name": repository.name,
        "size": SIZE,
        "inner": INNER,
        "after": None,
        "order": dict(zip(("field", "direction"), order, strict=True)),
    }
    first = Query(graphql_address(client), body={"query": PULL_REQUESTS, "variables": variables})
    for page in pages(client, first, GraphQl(CONNECTION, sizes=("size", "inner")), cursor):
        _require_repository(page.answer, repository)
        rows = list(_rows(client, repository, repository_id, page))
        recent = [one for one in rows if since is None or one.updated_at is None or one.updated_at >= since]
        is_last = len(recent) < len(rows)
        yield Slice(recent, None if is_last else page.cursor)
        if is_last:
            return


def pull_request_ids(client: Client, repository: Repository) -> Iterator[str]:
    """Ids of all pull requests of a repository."""
    variables = {"owner": repository.owner, "name": repository.name, "after": None}
    first = Query(graphql_address(client), body={"query": NUMBERS, "variables": variables})
    for page in pages(client, first, GraphQl(CONNECTION)):
        _require_repository(page.answer, repository)
        if None in page.rows:
            raise ProviderRefused(
                Refusal.FORBIDDEN, f"GitHub hides pull requests of {repository.owner}/{repository.name}."
            )
        for one in page.rows:
            yield f"{repository.provider_id}/{one['number']}"


def pull_request_versions(client: Client, repositories: Sequence[Repository]) -> Mapping[str, Any]:
    """The number of pull requests and the newest change, by the id of a repository; none for one without an answer, or
    with a change so recent that another one may have the same time.
    """
    found: dict[str, Any] = {}
    for start in range(0, len(repositories), PROBED) if len(repositories) >= news.MIN_ASKED else ():
        part = repositories[start : start + PROBED]
        variables: dict[str, str] = {}
        for place, one in enumerate(part):
            variables |= {f"o{place}": one.owner, f"n{place}": one.name}
        body = {"query": newest_changes(len(part)), "variables": variables}
        answer = news.answer_to(client, graphql_address(client), body)
        for place, one in enumerate(part):
            said = at(answer and answer.body, ("data", f"r{place}", "pullRequests"))
            if news.tells_all(said, client.server_time):
                found[one.provider_id] = said
    return found


def _require_repository(answer: Answer, repository: Repository) -> None:
    if at(answer.body, ("data", *CONNECTION)) is not None:
        return
    refusal = refusal_of(graphql_codes(answer.body))
    said = text(at(answer.body, ("errors", 0, "message"))) or "no reason given"
    raise ProviderRefused(
        refusal,
        f"GitHub refuses the pull requests of {repository.owner}/{repository.name}: {said[:300]}",
        answer.status,
    )


def _rows(client: Client, repository: Repository, repository_id: str, page: Page) -> Iterator[Deferred]:
    for place, one in enumerate(page.rows):
        errors = _errors(page.answer, place)
        if one is None:
            yield Deferred(None, partial(_refuse_hidden, errors))
        else:
            yield Deferred(
                f"{repository.provider_id}/{one.get('number')}",
                partial(_read, client, repository, repository_id, one, errors),
                updated_at=instant(one.get("updatedAt")),
            )


def _errors(answer: Answer, place: int) -> list[tuple[list[Any], str]]:
    """Errors of the pull request at a place of a partial answer: the path below it, and GitHub's words."""
    start = [*CONNECTION, "nodes", place]
    found = [
        (error.get("path") or [], text(error.get("message")) or "")
        for error in at(answer.body, ("errors",)) or []
    ]
    return [(path[len(start) :], said) for path, said in found if path[: len(start)] == start]


def _refuse_hidden(errors: list[tuple[list[Any], str]]) -> NoReturn:
    """A pull request that GitHub answers with null, such as one that the token may not see."""
    said = errors[0][1] if errors else "no reason given"
    raise ProviderRefused(Refusal.FORBIDDEN, f"GitHub hides a pull request: {said}")


def _read(
    client: Client,
    repository: Repository,
    repository_id: str,
    one: dict[str, Any],
    errors: list[tuple[list[Any], str]],
) -> PullRequest:
    for path, said in errors:
        if path and path[0] in HISTORY and one.get(path[0]) is None:
            # The row in the lake may have it.
            raise ProviderRefused(Refusal.FORBIDDEN, f"GitHub leaves out {path[0]}: {said}")
    lists = {name: {**(one[name] or {}), "nodes": _complete(client, one, name)} for name in LISTS}
    return pull_request(repository.provider_id, repository_id, {**one, **lists})


def _complete(client: Client, one: dict[str, Any], name: str) -> list[Any]:
    """All nodes of a list of a pull request, with further requests for its further pages."""
    if one[name] is None:
        return []
    found = list(one[name]["nodes"])
    info = one[name]["pageInfo"]
    if info["hasNextPage"]:
        variables = {"id": one["id"], "inner": REST, "after": info["endCursor"]}
        rest = Query(graphql_address(client), body={"query": REST_OF[name], "variables": variables})
        for page in pages(client, rest, GraphQl(("node", name), sizes=("inner",))):
            if at(page.answer.body, ("data", "node", name)) is None:
                raise ValueError(f"GitHub leaves out {name}")
            found.extend(page.rows)
    return found
