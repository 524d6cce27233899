"""Hosts that call a repository a fork: they name its parent, and most of them its time."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest

from ingest.connections.git_hosts.records import Repository
from ingest.lake import Source
from ingest.providers.azure import records as azure
from ingest.providers.azure.host import AzureDevOps
from ingest.providers.bitbucket import cloud_records as cloud
from ingest.providers.bitbucket import data_center_records as data_center
from ingest.providers.gitea import host as gitea
from ingest.providers.github import host as github
from ingest.providers.gitlab import host as gitlab
from tests.ingest.connections.running import Recorded, connection_to, rows, run
from tests.ingest.providers.azure import host_server as azure_server
from tests.ingest.providers.azure.test_host import SHOP
from tests.ingest.providers.bitbucket import cloud_server, data_center_server
from tests.ingest.providers.gitea import server as gitea_server
from tests.ingest.providers.github import host_server as github_server
from tests.ingest.providers.gitlab import host_server as gitlab_server

Row = dict[str, Any]
AT, TEXT = datetime(2026, 3, 4, tzinfo=UTC), "2026-03-04T00:00:00Z"
PARENT = "https://host.example/up/lib.git"
_LINKS = {
    "clone": [{"name": "ssh", "href": "ssh://git@host.example/up/lib.git"}, {"name": "http", "href": PARENT}]
}
OF_HOSTS: dict[str, tuple[Callable[[Row], Repository], Row, Row]] = {
    "GitHub": (
        github.repository,
        github_server.repository(1, "lib", created_at=TEXT),
        {"fork": True, "parent": {"clone_url": PARENT}},
    ),
    "GitLab": (
        gitlab.project,
        gitlab_server.project(1, "acme/lib", created_at=TEXT),
        {"forked_from_project": {"id": 2, "http_url_to_repo": PARENT}},
    ),
    "Gitea": (
        gitea.repository,
        gitea_server.repository(1, "lib", created_at=TEXT),
        {"fork": True, "parent": {"clone_url": PARENT}},
    ),
    "Bitbucket Cloud": (
        cloud.repository_of,
        cloud_server.repository("lib", created_on=TEXT),
        {"parent": {"full_name": "up/lib"}},
    ),
    "Bitbucket Data Center": (
        partial(data_center.repository_of, default_branch="main", is_empty=False),
        data_center_server.repository(1, "lib"),
        {"origin": {"id": 2, "links": _LINKS}},
    ),
    "Azure DevOps": (
        partial(azure.repository_of, "acme"),
        azure_server.repository("lib"),
        {"isFork": True, "parentRepository": {"id": "up", "remoteUrl": PARENT.replace("//", "//acme@")}},
    ),
}  # fmt: skip
NO_TIME = ("Bitbucket Data Center", "Azure DevOps")


@pytest.mark.parametrize("host", OF_HOSTS)
def test_a_fork_names_its_parent_and_its_time(host: str) -> None:
    read, answer, fork = OF_HOSTS[host]
    plain, found = read(answer), read(answer | fork)
    created = None if host in NO_TIME else AT
    named = "https://bitbucket.org/up/lib.git" if host == "Bitbucket Cloud" else PARENT
    assert (plain.is_fork, plain.parent, plain.created_at) == (False, None, created)
    assert (found.is_fork, found.parent, found.created_at) == (True, named, created)


def test_a_list_without_parents_is_asked_for_that_of_each_wanted_fork(source: Source) -> None:
    """Azure DevOps names the parent on request, of one repository at a time; a refusal costs only the parent."""
    fork = azure_server.repository(isFork=True)
    detail = fork | {"parentRepository": {"remoteUrl": "https://acme@dev.azure.com/acme/Web Shop/_git/up"}}
    provider = AzureDevOps()
    for details, parent in (
        ({}, None),
        ({"repo-shop": detail}, "https://dev.azure.com/acme/Web%20Shop/_git/up"),
    ):
        server = azure_server.AzureDevOps(
            repositories=[fork, azure_server.repository("other", isFork=True)], details=details
        )
        asked = Recorded(server)
        report = run(source, provider, connection_to(provider, "https://dev.azure.com/acme"), asked, [SHOP])
        assert (report.failures, report.unread) == ({}, {})
        found = rows(source, "repositories")
        assert (found["repo-shop"]["parent"], found["repo-other"]["parent"]) == (parent, None)
        assert not [path for path in asked.paths() if path.endswith("repo-other")]
