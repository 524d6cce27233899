"""`eas remove`: totals drop to those of the other repositories, even after a killed run."""

import os
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from api.control.list_pages import ListQuery
from api.control.operations.operations import OperationRecord, list_operations
from api.control.store import open_store
from orchestration.deployment import LOCAL_ORGANIZATION
from tests.end_to_end.eas import Eas
from tests.git_repository import ADA, GRACE, GitRepository


def outbox(eas: Eas) -> list[OperationRecord]:
    return list(list_operations(open_store(eas.data), LOCAL_ORGANIZATION, ListQuery(10)).items)


# Two builds after a kill: tests/orchestration tries the kill on a small warehouse.
@pytest.mark.release
def test_the_next_removal_finishes_a_killed_one(
    fresh_eas: Eas, new_repository: Callable[..., GitRepository]
) -> None:
    for name, author in (("kept", ADA), ("doomed", GRACE)):
        repository = new_repository(name)
        for number in range(5):
            code = f"def {name}_{number}(a):\n    return a.{name}({number}) + {number}\n"
            repository.commit({f"src/{number}.py": code}, author=author)
    both = [repository.path.parent / name for name in ("kept", "doomed")]
    assert fresh_eas.run_here("analyze", *both).returncode == 0
    about_kept = (
        "select commit_sha, etv_micro, effort_micro, category from commits_by_time "
        "join repositories using (repository_id) where name = 'kept' order by 1"
    )
    before = fresh_eas.rows(about_kept)
    states = fresh_eas.data / "raw" / "_state" / "git" / LOCAL_ORGANIZATION

    process = fresh_eas.start("remove", "doomed", "--yes")
    deadline = time.monotonic() + 120
    while len(list(states.glob("*.json"))) > 1 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert process.poll() is None
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert fresh_eas.rows("select count(*) from repositories") == [(2,)]
    [removal] = outbox(fresh_eas)
    assert (removal.state, removal.action, removal.target_name) == (
        "PENDING",
        "repositories.remove",
        "doomed",
    )

    done = fresh_eas.run("remove", "doomed", "--yes")
    assert done.returncode == 0, done.stdout
    assert "Removed doomed" in done.stdout
    assert fresh_eas.rows("select name from repositories") == [("kept",)]
    [removal] = outbox(fresh_eas)
    assert (removal.state, removal.build_id) == ("DONE", fresh_eas.pointer()["build_id"])
    assert fresh_eas.rows("select count(*) from developers") == [(1,)]
    assert fresh_eas.rows(about_kept) == before
    assert fresh_eas.rows("select count(*) from commits_by_time") == [(5,)]
    assert repository.git("rev-list", "--count", "main").strip() == "5"
    builds = (fresh_eas.data / "published" / LOCAL_ORGANIZATION).glob("*.duckdb")
    assert [file.name for file in builds] == [fresh_eas.pointer()["file"]]
    # The audit log keeps the name on purpose. Dagster's index names the last run of an asset until
    # the next one.
    kept = ("control.db", "index.db")
    files = (file for file in fresh_eas.data.rglob("*") if file.is_file() and not file.name.startswith(kept))
    naming = [file for file in files if b"doomed" in content(file, fresh_eas.data.parent / "copy")]
    assert [str(file.relative_to(fresh_eas.data)) for file in naming] == []


def content(file: Path, copy: Path) -> bytes:
    """The bytes of a file; for a SQLite database without those of deleted rows."""
    if not file.read_bytes().startswith(b"SQLite format 3"):
        return file.read_bytes()
    copy.unlink(missing_ok=True)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("vacuum into ?", [str(copy)])
    return copy.read_bytes()
