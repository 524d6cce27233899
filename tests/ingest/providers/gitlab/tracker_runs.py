"""Runs over the invented GitLab: what the tests of issues, epics and milestones share."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from ingest.connections.model import WantedRepository
from ingest.providers.gitlab.tracker import GitLabIssues
from tests.ingest.connections import running
from tests.ingest.connections.running import source_in
from tests.ingest.providers.gitlab.tracker_server import ADDRESS, FakeGitLab, issue, project
from tests.ingest.providers.runs import at, connection

GITLAB = GitLabIssues()
SHOP, PAY, OTHER = project(1, "acme/shop"), project(2, "acme/core/pay"), project(3, "else/where")
WANTED = [
    WantedRepository("r-shop", "gitlab.example/tools/acme/shop"),
    WantedRepository("r-pay", "gitlab.example/tools/acme/core/pay"),
    WantedRepository("r-hub", "github.com/acme/shop", provider_id="3"),
]
ACME, CORE = (70, "acme"), (71, "acme/core")


def run(folder: Path, server: FakeGitLab, *, now: datetime | None = None, **options: Any) -> Any:
    of = connection(GITLAB, ADDRESS, **options.pop("options", {}))
    wanted = options.pop("wanted", WANTED)
    return running.run(
        source_in(folder, GITLAB), GITLAB, of, server, wanted, now=lambda: now or datetime.now(UTC), **options
    )


def found(folder: Path) -> dict[str, dict[str, Any]]:
    return running.rows(source_in(folder, GITLAB), "items")


def many(count: int, **options: Any) -> FakeGitLab:
    """Issues of one project in groups of the same creation time, some closed since."""
    rows = [issue(n, at=at(1) + timedelta(seconds=n // 3), of=SHOP) for n in range(1, count + 1)]
    server = FakeGitLab([SHOP, PAY, OTHER], rows, **options)
    for n in range(0, count, 50):
        server.close(rows[n], at(3) - timedelta(hours=n))
    return server
