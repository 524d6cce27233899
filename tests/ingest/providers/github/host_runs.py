"""Runs over the invented GitHub: what the tests of runs and of pull requests share."""

from __future__ import annotations

from typing import Any

from ingest.connections.model import WantedRepository
from ingest.lake import Source
from ingest.providers.github.host import GitHub
from tests.ingest.connections.running import connection_to, rows, run
from tests.ingest.providers.github.host_server import GitHubServer, pull

PROVIDER = GitHub()
CONNECTION = connection_to(PROVIDER, "https://github.com")
WANTED = [WantedRepository("repository-of-shop", "github.com/acme/shop")]
STREAM = "pull_requests/7"


def read(source: Source, server: GitHubServer, **options: Any) -> Any:
    """The report of a run."""
    return run(source, PROVIDER, CONNECTION, server, WANTED, **options)


def read_one(source: Source, server: GitHubServer, **more: Any) -> dict[str, Any]:
    """The row of one pull request with these fields."""
    server.pulls["shop"] = [pull(1, **more)]
    read(source, server)
    return rows(source, "pull_requests")["7/1"]
