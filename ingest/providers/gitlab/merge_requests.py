"""Merge requests of GitLab: reading them by their last change, and their fields as rows.

GitLab pages by number, and a merge request that changes moves to the end of the list, which shifts the others: each
page is therefore asked for by the time of the last change before it.

Each changed merge request costs three requests: its commits, its notes (approvals, drafts and requests of reviews are
system notes, which have times) and its changes of state, and a fourth one if a text could name an issue that it
closes. The endpoints of approvals have no times, and not every edition has them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

from ingest.connections.git_hosts.records import PullRequest, PullRequestState, Repository, SourceCommit
from ingest.connections.model import Slice
from ingest.connections.parsing import deferred_rows, id_of, instant_at
from ingest.connections.values import instant, number, text, texts
from ingest.errors import ProviderRefused, Refusal
from ingest.http.answers import Answer
from ingest.http.client import Client
from ingest.http.pages import Query, all_rows, pages
from ingest.json_paths import JsonPath, at
from ingest.providers.gitlab import access
from ingest.providers.gitlab.events import events_of, kind_of, login_of

PAGE = 100
STATES: dict[str, PullRequestState] = {
    "opened": "open",
    "locked": "open",
    "merged": "merged",
    "closed": "closed",
}
MAYBE_ISSUE = re.compile(r"#\d|/(?:issues|work_items)/\d|\b[A-Z][A-Z0-9_]+-\d")


@dataclass(frozen=True)
class ByChange:
    """The next page starts at the last change of this one, and repeats it; by number within a single time."""

    rows: JsonPath = ()

    def after(self, query: Query, answer: Answer, count: int) -> Query | None:
        if answer.next_link is None:
            return None
        last = at(answer.body, (count - 1, "updated_at")) if count else None
        if last == query.params.get("updated_after") or instant(last) is None:
            page = int(query.params.get("page", 1))
            return replace(query, params={**query.params, "page": page + 1})
        return replace(query, params={**query.params, "updated_after": last, "page": 1})


def read_merge_requests(
    client: Client, repository: Repository, repository_id: str, since: datetime | None, cursor: str | None
) -> Iterator[Slice]:
    """Slices of the merge requests that changed since a time."""
    seen: set[str] = set()
    read = partial(_read, client, repository, repository_id)
    for page in pages(client, _listing(repository, since), ByChange(), cursor):
        fresh = [one for one in page.rows if _version(one) not in seen]
        seen = {_version(one) for one in page.rows}
        yield Slice(
            deferred_rows(fresh, read, partial(_id, repository), instant_at("updated_at")), page.cursor
        )


def _version(one: Any) -> str:
    return f"{at(one, ('iid',))} {at(one, ('updated_at',))}"


def merge_request_ids(client: Client, repository: Repository) -> Iterator[str]:
    """Ids of all merge requests of a project."""
    for page in pages(client, _listing(repository, None), ByChange()):
        for one in page.rows:
            yield f"{repository.provider_id}/{id_of(one, 'iid')}"


def _listing(repository: Repository, since: datetime | None) -> Query:
    params: dict[str, Any] = {
        "scope": "all",
        "state": "all",
        "order_by": "updated_at",
        "sort": "asc",
        "per_page": PAGE,
    }
    if since is not None:
        params["updated_after"] = since.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return Query(f"projects/{repository.provider_id}/merge_requests", params)


def _id(repository: Repository, one: Any) -> str | None:
    iid = at(one, ("iid",))
    return f"{repository.provider_id}/{iid}" if iid is not None else None


def _read(client: Client, repository: Repository, repository_id: str, one: dict[str, Any]) -> PullRequest:
    if (iid := number(one["iid"])) is None:
        raise ValueError("a merge request without number")
    path = f"projects/{repository.provider_id}/merge_requests/{iid}"
    commits = _all(client, f"{path}/commits")
    details = {
        "commits": commits,
        "notes": _all(client, f"{path}/notes", {"sort": "asc", "order_by": "created_at"}),
        "state_events": _allowed(client, f"{path}/resource_state_events"),
    }
    said = [one.get("title"), one.get("description"), *(commit.get("message") for commit in commits)]
    could_close = any(MAYBE_ISSUE.search(words) for words in said if isinstance(words, str))
    details["closes"] = _allowed(client, f"{path}/closes_issues") if could_close else []
    return merge_request(repository.provider_id, repository_id, one, details)


def _all(client: Client, address: str, params: dict[str, Any] | None = None) -> list[Any]:
    query = Query(address, {"per_page": PAGE, **(params or {})})
    return all_rows(client, pages(client, query, access.NEXT))


def _allowed(client: Client, address: str) -> list[Any]:
    """Rows of a part that some editions, projects or tokens lack."""
    try:
        return _all(client, address)
    except ProviderRefused as error:
        if error.refusal in (Refusal.FORBIDDEN, Refusal.NOT_FOUND):
            return []
        raise


def merge_request(
    project: str, repository_id: str, one: dict[str, Any], details: dict[str, list[Any]]
) -> PullRequest:
    """The row of a merge request; `details` has its commits, notes, state events and the issues that it closes."""
    state, created, updated = STATES[one["state"]], instant(one["created_at"]), instant(one["updated_at"])
    iid = number(one["iid"])
    if created is None or updated is None or iid is None:
        raise ValueError("a merge request without number or times")
    is_merged = state == "merged"
    head, squash = text(one.get("sha")), text(one.get("squash_commit_sha"))
    merger = one.get("merge_user") or one.get("merged_by")
    commits = [source_commit(commit) for commit in reversed(details["commits"])]
    events = events_of(one, details["notes"], details["state_events"])
    asked = [event.detail for event in events if event.kind == "review_requested"]
    return PullRequest(
        provider_id=f"{project}/{iid}",
        repository_id=repository_id,
        number=iid,
        title=text(one.get("title")) or "",
        body=text(one.get("description")),
        state=state,
        is_draft=one.get("draft", one.get("work_in_progress")) is True,
        author=login_of(one.get("author")),
        author_name=text(at(one, ("author", "name"))) if login_of(one.get("author")) else None,
        author_kind=kind_of(one.get("author")),
        created_at=created,
        updated_at=updated,
        merged_at=instant(one.get("merged_at")),
        closed_at=instant(one.get("closed_at")) or instant(one.get("merged_at")),
        merged_by=login_of(merger),
        source_branch=text(one.get("source_branch")),
        target_branch=text(one.get("target_branch")) or "",
        is_from_fork=one.get("source_project_id") != one.get("target_project_id"),
        head_sha=head,
        # A fast-forward has no merge commit: the squash commit or the head itself is on the target branch.
        merge_sha=(text(one.get("merge_commit_sha")) or squash or head) if is_merged else None,
        squash_sha=squash if is_merged else None,
        comment_count=number(one.get("user_notes_count")),
        url=text(one.get("web_url")),
        labels=texts(_label(label) for label in one.get("labels") or []),
        reviewers=texts([*(login_of(user) for user in one.get("reviewers") or []), *asked]),
        linked_issues=texts(_issue(issue) for issue in details["closes"]),
        events=events,
        commits=commits,
        commit_count=len(commits),
        payload={"merge_request": one, **details},
    )


def source_commit(one: dict[str, Any]) -> SourceCommit:
    """A commit of a merge request."""
    return SourceCommit(
        sha=one["id"],
        author_name=text(one.get("author_name")),
        author_email=text(one.get("author_email")),
        authored_at=instant(one.get("authored_date")),
        message=text(one.get("message")) or text(one.get("title")),
        committed_at=instant(one.get("committed_date")),
    )


def _issue(one: dict[str, Any]) -> str | None:
    """`group/project#n`; the key of an issue in another tracker."""
    full = text(at(one, ("references", "full")))
    if full is not None:
        return full
    path, found, last = (text(one.get("web_url")) or "").partition("/-/")
    if found:
        return f"{path.partition('://')[2].partition('/')[2]}#{last.rpartition('/')[2]}"
    return text(one.get("id"))


def _label(one: Any) -> str | None:
    return text(at(one, ("name",)) or at(one, ("title",))) if isinstance(one, dict) else text(one)
