"""Hosts that name the time of the committer: amending a commit keeps the time of its author."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from ingest.connections.git_hosts.records import SourceCommit
from ingest.providers.azure import records as azure
from ingest.providers.bitbucket import data_center_records as data_center
from ingest.providers.gitea import host as gitea
from ingest.providers.github import records as github
from ingest.providers.gitlab import merge_requests as gitlab

WRITTEN, AMENDED = datetime(2026, 4, 15, 8, tzinfo=UTC), datetime(2026, 4, 16, 8, tzinfo=UTC)
SHA = "a" * 40
TEXTS = WRITTEN.isoformat(), AMENDED.isoformat()
MILLIS = tuple(int(one.timestamp()) * 1000 for one in (WRITTEN, AMENDED))
OF_HOSTS: dict[str, tuple[Callable[[dict[str, Any]], SourceCommit], dict[str, Any]]] = {
    "GitHub": (
        github.source_commit,
        {"oid": SHA, "authoredDate": TEXTS[0], "committedDate": TEXTS[1], "author": {"name": "Dan"}},
    ),
    "GitLab": (gitlab.source_commit, {"id": SHA, "authored_date": TEXTS[0], "committed_date": TEXTS[1]}),
    "Azure DevOps": (
        azure.commit_of,
        {"commitId": SHA, "author": {"date": TEXTS[0]}, "committer": {"date": TEXTS[1]}},
    ),
    "Bitbucket Data Center": (
        data_center.commit_of,
        {"id": SHA, "authorTimestamp": MILLIS[0], "committerTimestamp": MILLIS[1]},
    ),
    "Gitea": (
        gitea.source_commit,
        {"sha": SHA, "commit": {"author": {"date": TEXTS[0]}, "committer": {"date": TEXTS[1]}}},
    ),
}


@pytest.mark.parametrize("host", OF_HOSTS)
def test_an_amended_commit_has_both_times(host: str) -> None:
    read, answer = OF_HOSTS[host]
    found = read(answer)
    assert (found.sha, found.authored_at, found.committed_at) == (SHA, WRITTEN, AMENDED)
