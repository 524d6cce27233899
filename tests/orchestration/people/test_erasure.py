"""`eas person erase` from end to end on the small warehouse: refusals, the dry run, ends at any step, and the bytes."""

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

import duckdb
import pyarrow.parquet as pq
import pytest

from api.control.models import Invitation
from api.control.store import open_store
from ingest.lake import Lake, erased
from ingest.telemetry import spool
from ingest.telemetry.loading import spool_folder
from orchestration.deployment import LOCAL_ORGANIZATION
from orchestration.people import erased_decisions, erased_files
from tests.end_to_end.eas import Eas
from tests.end_to_end.test_removal import content
from tests.git_repository import GRACE, GitRepository

ADDRESS = "ada@lovelace.example"
TABLES = "select schema_name, table_name from duckdb_tables()"
ERASE = ("person", "erase", ADDRESS)


class Killed(BaseException):
    """The end of the process."""


@pytest.fixture
def eas(tmp_path: Path) -> Eas:
    """Facts of two people, an invitation and telemetry of one of them."""
    repository = GitRepository(tmp_path / "engine")
    repository.commit(
        {"a.py": "a = 1\n"}, f"Begin\n\nSigned-off-by: Ada <{ADDRESS}>", author=f"Ada <{ADDRESS}>"
    )
    repository.commit({"b.py": "b = 1\nc = 2\n"}, "Go on", author=GRACE)
    eas = Eas(tmp_path / "data", is_small=True)
    assert eas.run_here("analyze", repository.path).returncode == 0
    now = datetime.now(UTC)
    control = open_store(eas.data)
    with control.session() as session:
        session.add(Invitation(
            organization_id=LOCAL_ORGANIZATION, id="i", email=ADDRESS, email_key=ADDRESS, role="member",
            invited_by="operator", generation=1, created_at=now, expires_at=now,
        ))  # fmt: skip
    control.close()
    with closing(spool.Spool(spool_folder(eas.data))) as writer:
        line = f'{{"token_email": "{ADDRESS}", "rows": {{}}}}'
        writer.append(LOCAL_ORGANIZATION, line.encode()).result()
    return eas


def _naming(eas: Eas) -> list[str]:
    """Files of the data directory with the address, also in compressed cells."""
    found = []
    for file in eas.data.rglob("*"):
        if not file.is_file():
            continue
        texts = content(file, eas.data.parent / "copy").decode("latin-1")
        if file.suffix == ".parquet":
            texts += str(pq.ParquetFile(file).read().to_pylist())
        if file.suffix == ".duckdb":
            with duckdb.connect(str(file), read_only=True) as connection:
                for schema, table in connection.execute(TABLES).fetchall():
                    texts += str(connection.execute(f'select * from "{schema}"."{table}"').fetchall())
        if "lovelace" in texts.lower():
            found.append(str(file.relative_to(eas.data)))
    return found


def _killed_at(module: Any, name: str, eas: Eas) -> None:
    def killed(*_: Any, **__: Any) -> Iterator[None]:
        raise Killed

    with patch.object(module, name, killed), pytest.raises(Killed):
        eas.run_here(*ERASE, "--yes")


def test_an_erasure_that_ended_anywhere_is_finished_by_the_next_one(eas: Eas) -> None:
    marks = Path(erased.file_of(Lake(eas.data / "raw"), LOCAL_ORGANIZATION))
    totals = "select count(*), sum(etv_micro) from commits_by_time"
    before = eas.rows(totals)
    # Nothing happens before the confirmation, nor while another process reads a source.
    asked = eas.run_here(*ERASE, stdin="n\n")
    assert asked.returncode == 1
    assert "What stays:" in asked.stdout
    [source] = _repositories(eas)
    with source.extracting():
        busy = eas.run_here(*ERASE, "--yes")
    assert (busy.returncode, "another process" in busy.stdout.lower()) == (2, True)
    assert not marks.exists()
    unknown = eas.run_here("person", "erase", "nobody@lovelace.example", "--yes")
    assert unknown.returncode == 2

    for module, name in (
        (erased_decisions, "erase"),
        (erased_files, "erase_facts"),
        (erased_files, "erase_builds"),
        (erased_files, "erase_leftovers"),
    ):
        _killed_at(module, name, eas)
    done = eas.run_here(*ERASE, "--yes")
    assert done.returncode == 0, done.stdout
    assert _naming(eas) == []
    assert eas.rows(totals) == before
    assert eas.rows("select count(*) from developers where name like 'Former colleague %'") == [(1,)]
    exported = eas.run_here("person", "export", ADDRESS, eas.data.parent / "export")
    assert exported.returncode == 2


def _repositories(eas: Eas) -> list[Any]:
    lake = Lake(eas.data / "raw")
    return [lake.source("git", LOCAL_ORGANIZATION, one) for one in lake.sources("git", LOCAL_ORGANIZATION)]
