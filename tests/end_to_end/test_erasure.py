"""`eas person erase` on real figures: every total stays to the last digit, and no byte names the person."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest
from sqlalchemy import select

from api.control.capex import locks as capex_locks
from api.control.models import AuditEntry, CapexLockedRow, CapexRestatement, DeveloperAttribute
from api.control.principals import OPERATOR
from api.control.store import open_store
from api.control.teams.memberships import add_membership
from api.control.teams.teams import create_team
from orchestration.deployment import LOCAL_ORGANIZATION
from tests.end_to_end.eas import Eas
from tests.end_to_end.test_removal import content
from tests.git_repository import GRACE, GitRepository

PERSON = "Ada Byron-Lovelace"
AT_WORK = f"{PERSON} <ada.lovelace@work.example>"
AT_HOME = f"{PERSON} <countess@home.example>"
TABLES = "select schema_name, table_name from duckdb_tables()"
WORDS = ("lovelace", "byron", "countess")
# A developer has fewer addresses and former ids afterwards; ids and times of builds differ.
OF_IDENTITIES = {"developers", "developer_identities", "developer_known_ids", "organizations"}
BY = ("team_id", "month", "delivered_on", "repository_id", "category", "commit_sha")


def _worked(repository: GitRepository) -> None:
    for number in range(9):
        author = (AT_WORK, GRACE, AT_HOME)[number % 3]
        code = "".join(
            f"def part{number}_{n}(a, b):\n    return a.move{number}({n}) + b\n\n" for n in range(number + 3)
        )
        trailers = f"Signed-off-by: {author}\n" + (f"Co-authored-by: {AT_HOME}\n" if number % 3 == 1 else "")
        subject = ("feat: part", "fix: what Ada Byron-Lovelace wrote in part", "docs: part")[number % 3]
        day = datetime(2026, 5, 4 + 5 * (number % 5), 12, tzinfo=UTC).replace(month=5 + number // 5)
        repository.commit(
            {f"src/{number}.py": code}, f"{subject} {number}\n\n{trailers}", author=author, at=day
        )


def _figures(eas: Eas) -> dict[str, list[tuple[Any, ...]]]:
    """Rows and sums of all numbers of every published table, by team, month and repository where it has them."""
    tables: dict[str, dict[str, str]] = {}
    for table, column, kind in eas.rows(
        "select table_name, column_name, data_type from duckdb_columns() where not internal"
    ):
        tables.setdefault(table, {})[column] = kind
    found = {}
    for table in sorted(tables.keys() - OF_IDENTITIES):
        columns = tables[table]
        by = [
            one
            for one in ("team_id", "month", "delivered_on", "repository_id", "category", "commit_sha")
            if one in columns
        ]
        sums = [
            f'sum("{name}")' for name, kind in columns.items() if kind.endswith("INT") or kind == "INTEGER"
        ]
        chosen = ", ".join([*by, "count(*)", *sums])
        found[table] = sorted(eas.rows(f'select {chosen} from "{table}" group by all'), key=str)
    return found


def _naming(eas: Eas, folder: Path) -> list[str]:
    """Everything in the data directory that has a word of the person: raw bytes, cells of Parquet and DuckDB."""
    found = []
    for file in sorted(eas.data.rglob("*")):
        name = str(file.relative_to(eas.data))
        if not file.is_file() or name.startswith("mirrors"):
            continue
        texts = content(file, folder / "copy").decode("latin-1")
        if file.suffix == ".parquet":
            texts += str(pq.ParquetFile(file).read().to_pylist())
        if file.suffix == ".duckdb":
            with duckdb.connect(str(file), read_only=True) as connection:
                for schema, table in connection.execute(TABLES).fetchall():
                    texts += str(connection.execute(f'select * from "{schema}"."{table}"').fetchall())
        found += [f"{name}: {word}" for word in WORDS if word in texts.lower()]
    return found


# Four builds of the real project.
@pytest.mark.release
def test_figures_stay_and_no_reading_brings_an_erased_person_back(
    fresh_eas: Eas, new_repository: Callable[..., GitRepository], tmp_path: Path
) -> None:
    repository = new_repository("engine")
    _worked(repository)
    assert fresh_eas.run_here("analyze", repository.path).returncode == 0
    developers = dict(fresh_eas.rows("select name, developer_id from developers"))
    control = open_store(fresh_eas.data)
    for name, developer_id in developers.items():
        team = create_team(control, OPERATOR, LOCAL_ORGANIZATION, f"Team {name[0]}")
        add_membership(control, OPERATOR, LOCAL_ORGANIZATION, team.id, developer_id, date(2026, 1, 1))
    with control.session() as session:
        for attribute, value in (
            ("role", "engineer"),
            ("name", "Countess Lovelace"),
            ("joining_date", "2026-05-06"),
        ):
            session.add(DeveloperAttribute(
                organization_id=LOCAL_ORGANIZATION, developer_id=developers[PERSON], attribute=attribute, value=value
            ))  # fmt: skip
    assert fresh_eas.run_here("analyze", repository.path).returncode == 0
    build_id = fresh_eas.pointer()["build_id"]
    rows = fresh_eas.rows("select * from capex where month = date '2026-05-01'")
    names = [name for (name,) in fresh_eas.rows("select name from pragma_table_info('capex')")]
    closed = [dict(zip(names, row, strict=True)) for row in rows]
    capex_locks.lock_month(control, OPERATOR, LOCAL_ORGANIZATION, date(2026, 5, 1), closed, build_id)
    before = _figures(fresh_eas)
    assert before["capex"]
    assert before["commits_by_time"]

    done = fresh_eas.run_here("person", "erase", "countess@home.example", "--yes")
    assert done.returncode == 0, done.stdout
    assert "Erased." in done.stdout
    assert "Warning" not in done.stdout
    after = _figures(fresh_eas)
    assert {table: (rows, after[table]) for table, rows in before.items() if rows != after[table]} == {}
    [(pseudonym, developer_id)] = fresh_eas.rows(
        "select name, developer_id from developers where name like 'Former%'"
    )
    assert _naming(fresh_eas, tmp_path) == []
    with control.session() as session:
        signed = {row.developer_id: row.row for row in session.scalars(select(CapexLockedRow))}
        assert developer_id in signed
        assert developers[PERSON] not in signed
        assert session.scalars(select(CapexRestatement)).all() == []
        entry = session.scalars(select(AuditEntry).where(AuditEntry.action == "people.erase")).one()
        assert (entry.target_id, entry.target_name) == (developer_id, pseudonym)
    unknown = fresh_eas.run_here("person", "export", "countess@home.example", tmp_path / "export")
    assert (unknown.returncode, "no developer" in unknown.stdout) == (2, True)

    # A new commit, and the whole history read anew.
    repository.commit({"src/new.py": "def new(a):\n    return a.new(1)\n"}, "feat: new", author=AT_WORK)
    assert fresh_eas.run_here("analyze", repository.path).returncode == 0
    assert _naming(fresh_eas, tmp_path) == []
    grown = _figures(fresh_eas)
    for state in (fresh_eas.data / "raw" / "_state" / "git" / LOCAL_ORGANIZATION).glob("*.json"):
        state.unlink()
    assert fresh_eas.run_here("analyze", repository.path).returncode == 0
    assert _naming(fresh_eas, tmp_path) == []
    assert _figures(fresh_eas) == grown
    again = fresh_eas.run_here("person", "erase", "countess@home.example", "--yes")
    assert (again.returncode, "erased before" in again.stdout) == (0, True)
    assert _figures(fresh_eas) == grown
