"""A Git host of the served histories, as a sync would leave it: a connection, and a pull request in the lake.

Keep out: requests to a host (tests/ingest/providers).
"""

import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa

from api.control.store import ControlStore
from ingest.git.identifiers import repository_id, root_key
from ingest.lake import Lake
from ingest.schemas import TABLES
from orchestration.deployment import LOCAL_ORGANIZATION
from tests.dbt.invented.invented_pull_requests import event, pull_request, source_commit
from tests.end_to_end.stored_connections import store_connection

NUMBER = 12
SUBJECT = "feat: carry 1"


def add_host(store: ControlStore, raw: Path, library: Path) -> None:
    """Add the connection and a pull request of Lin that one commit of the library delivered."""
    connection = store_connection(store, "GITEA", "hosts", "https://git.houses.dev", "Houses")
    [root] = _git(library, "rev-list", "--max-parents=0", "main")
    [sha] = _git(library, "log", "--format=%H", f"--grep=^{SUBJECT}$", "main")
    [written] = _git(library, "show", "-s", "--format=%at", sha)
    at = datetime.fromtimestamp(int(written), UTC)
    row = pull_request(
        repository_id(LOCAL_ORGANIZATION, root_key([root])), NUMBER, title="Carry more", author="lin", state="merged",
        created_at=at - timedelta(hours=3), updated_at=at, merged_at=at, closed_at=at, merged_by="grace",
        head_sha=sha, merge_sha=sha, source_branch="carry",
        events=[event("approved", at - timedelta(hours=1), "grace")],
        commits=[source_commit(sha, "Lin Lee", "lin@houses.dev", author_login="lin", authored_at=at)],
    )  # fmt: skip
    rows = [row | {"organization_id": LOCAL_ORGANIZATION, "connection_id": connection}]
    table = pa.Table.from_pylist(rows, schema=TABLES["hosts", "pull_requests"])
    Lake(raw).source("hosts", LOCAL_ORGANIZATION, connection).commit({}, {"pull_requests": table}, {})


def _git(folder: Path, *arguments: str) -> list[str]:
    done = subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True, text=True)
    return done.stdout.splitlines()
