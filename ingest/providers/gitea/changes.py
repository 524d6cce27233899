"""Which repositories of Gitea or Forgejo have changed pull requests, by one question.

Read in go-gitea's source: the search for issues lists those of every repository that the token may read, with the same
filter by change as the list of a repository. Without words to search for it reads the database, not the index, which is
behind. Its links count pages of another size than it sends, so its number of rows tells where it ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from ingest.connections.git_hosts.records import Repository
from ingest.connections.values import number
from ingest.http.client import Client
from ingest.http.pages import Links, Query, pages

PAGE = 50
# Servers name themselves by their setting ROOT_URL, which is often wrong.
NEXT = Links(keeps_address=True, may_be_null=True)
MAX_OWNERS = 5
"""Owners whose repositories are asked for; with more, those of the whole server are."""
MAX_CHANGES = 1_000
"""A longer answer costs more than asking each repository."""


def changed_repositories(
    client: Client, repositories: Sequence[Repository], since: datetime
) -> set[str] | None:
    """Ids of the repositories in which pull requests changed since a time; None if the answer may lack some."""
    owners = sorted({one.owner for one in repositories})
    wanted = [{"owner": owner} for owner in owners] if len(owners) <= MAX_OWNERS else [{}]
    found: set[str] = set()
    for params in wanted:
        part = _changed(client, {"since": since_of(since), **params})
        if part is None:
            return None
        found |= part
    return found


def since_of(since: datetime) -> str:
    """A time as Gitea reads it."""
    return since.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _changed(client: Client, params: Mapping[str, Any]) -> set[str] | None:
    query = Query("repos/issues/search", {"type": "pulls", "state": "all", "limit": PAGE, **params})
    met, found, total = set[Any](), set[str](), 0
    for page in pages(client, query, NEXT):
        before, stated = total, number(page.answer.headers.get("x-total-count"))
        # Where a pull request goes while they are listed, the next page lacks another one.
        if stated is None or stated > MAX_CHANGES or stated < before:
            return None
        total = stated
        met |= {one["id"] for one in page.rows}
        found |= {str(one["repository"]["id"]) for one in page.rows}
    return found if len(met) >= total else None
