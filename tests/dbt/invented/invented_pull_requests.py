"""Rows of a Git host beside an invented or real history: pull requests, repositories and deletions."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from ingest.lake import Lake
from ingest.schemas import TABLES
from tests.dbt.invented.invented_history import ORGANIZATION_ID

CONNECTION = "01920000-0000-7000-8000-000000000001"
OTHER_CONNECTION = "01920000-0000-7000-8000-000000000002"
Row = dict[str, Any]
START = datetime(2025, 3, 3, 8, 0, tzinfo=UTC)


def hours(number: float) -> timedelta:
    return timedelta(hours=number)


def pull_request(repository_id: str, number: int, **given: Any) -> Row:
    """A raw row; `given` replaces its values."""
    row: Row = {
        "organization_id": ORGANIZATION_ID, "connection_id": CONNECTION, "batch": 1,
        "provider_id": f"{repository_id}/{number}", "repository_id": repository_id, "number": number,
        "title": f"Change {number}", "body": None, "state": "open", "is_draft": False, "author": "ada",
        "author_name": None, "author_kind": "person", "created_at": START, "updated_at": START, "merged_at": None,
        "closed_at": None, "merged_by": None, "source_branch": "topic", "target_branch": "main",
        "is_from_fork": False, "head_sha": None, "merge_sha": None, "squash_sha": None, "comment_count": None,
        "lines_added": None, "lines_deleted": None, "url": None, "labels": [], "reviewers": [], "linked_issues": [],
        "events": [], "commits": [], "commit_count": len(given.get("commits", [])), "payload": "{}",
        "connector_version": "1",
    }  # fmt: skip
    assert not set(given) - set(row)
    return row | given


def event(
    kind: str, at: datetime, actor: str | None = None, actor_kind: str = "person", detail: str | None = None
) -> Row:
    return {"kind": kind, "at": at, "actor": actor, "actor_kind": actor_kind, "detail": detail}


def source_commit(sha: str, name: str = "", email: str = "", **given: Any) -> Row:
    nothing = {"author_login": None, "authored_at": None, "message": None, "committed_at": None}
    return {"sha": sha, "author_name": name, "author_email": email} | nothing | given


def repository(name: str, address: str, connection: str = CONNECTION) -> Row:
    owner, short = name.split("/")
    return {
        "organization_id": ORGANIZATION_ID, "connection_id": connection, "batch": 1, "provider_id": name,
        "owner": owner, "name": short, "address": address, "url": None, "default_branch": "main", "is_archived": False,
        "is_empty": False, "is_fork": False, "is_private": True, "updated_at": None, "payload": "{}",
        "connector_version": "1",
    }  # fmt: skip


def write(
    root: Path,
    pull_requests: Sequence[Row],
    repositories: Sequence[Row] = (),
    deleted: Sequence[str] = (),
    shuffle: int | None = None,
) -> None:
    """Write the rows of each connection. `shuffle` is the seed of another order of rows and events."""
    lake = Lake(root)
    connections = {str(row["connection_id"]) for row in (*pull_requests, *repositories)}
    for connection in connections:
        tables: Mapping[str, Sequence[Row]] = {
            "pull_requests": [_shuffled(one, shuffle) for one in pull_requests],
            "repositories": repositories,
            "deletions": [
                {
                    "organization_id": ORGANIZATION_ID,
                    "connection_id": connection,
                    "table_name": "pull_requests",
                    "provider_id": provider_id,
                    "connector_version": "1",
                }
                for provider_id in deleted
            ],
        }
        replaced = {}
        for name, rows in tables.items():
            own = [row for row in rows if row["connection_id"] == connection]
            if shuffle is not None:
                random.Random(shuffle).shuffle(own)
            replaced[name] = pa.Table.from_pylist(own, schema=TABLES["hosts", name])
        lake.source("hosts", ORGANIZATION_ID, connection).commit(appended={}, replaced=replaced, extra={})
    lake.prepare(ORGANIZATION_ID)


def _shuffled(row: Row, seed: int | None) -> Row:
    if seed is None:
        return row
    events = [*row["events"], *row["events"][:1]]
    random.Random(seed).shuffle(events)
    return row | {"events": events}
