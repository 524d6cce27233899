"""Runs over the invented GitLab: what the tests of projects and of merge requests share."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from ingest.connections.model import WantedRepository
from ingest.lake import Source
from ingest.providers.gitlab.host import GitLab
from tests.ingest.connections.running import Handler, connection_to, read_pull_requests
from tests.ingest.providers.gitlab.host_server import ADDRESS

PROVIDER = GitLab()
CONNECTION = connection_to(PROVIDER, ADDRESS)
SHOP = WantedRepository("repository-of-shop", "git.example.com/tools/acme/shop")


def read(source: Source, server: Handler, **options: Any) -> dict[str, dict[str, Any]]:
    """The merge requests after a run, by number."""
    return read_pull_requests(source, PROVIDER, CONNECTION, server, [SHOP], **options)


def time(day: int, hour: int = 0) -> datetime:
    return datetime(2026, 3, day, hour, tzinfo=UTC)
