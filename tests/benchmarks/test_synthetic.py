"""The synthetic organization has the structure of the raw schemas."""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from ingest.schemas import control, git
from tests.benchmarks.synthetic.organization import Plan, control_tables, tables

PLAN = Plan.of_size(3_000)
SIZE = 1_500

Tables = dict[str, pa.Table]


@pytest.fixture(scope="module", params=[0, 1, 2, 3])
def made(request: pytest.FixtureRequest) -> Tables:
    return tables(PLAN, request.param, SIZE)


def _values(table: pa.Table, column: str) -> list[Any]:
    found: list[Any] = table[column].to_pylist()
    return found


def test_the_same_plan_gives_the_same_rows() -> None:
    first, second = (tables(PLAN, 1, 200) for _ in range(2))
    assert all(first[name].equals(second[name]) for name in first)


def test_another_seed_gives_other_rows() -> None:
    first, second = (tables(Plan.of_size(3_000, seed), 1, 200) for seed in (1, 2))
    assert not first["commits"].equals(second["commits"])


def test_repositories_of_a_plan_add_up_to_its_commits() -> None:
    assert sum(Plan().sizes()) == Plan().commits
    assert len(Plan().sizes()) == Plan().repositories


def test_every_table_has_rows_of_its_schema(made: Tables) -> None:
    assert {name: table.schema for name, table in made.items()} == git.TABLES
    assert [name for name, table in made.items() if not table.num_rows] == ["problems", "squash_lines"]
    for table in made.values():
        assert_fits(table)


def test_the_settings_have_rows_of_their_schema() -> None:
    for name, table in control_tables(PLAN).items():
        assert table.schema == control.TABLES[name]
        assert table.num_rows
        assert_fits(table)


def assert_fits(table: pa.Table) -> None:
    """Check that only nullable columns hold nulls."""
    table.validate(full=True)
    nullable = {field.name for field in table.schema if field.nullable}
    assert {name for name in table.column_names if table[name].null_count} <= nullable


def test_commits_follow_their_parents_and_are_delivered_once(made: Tables) -> None:
    seen: set[object] = set()
    for sha, parents in zip(
        _values(made["commits"], "commit_sha"), _values(made["commits"], "parent_shas"), strict=True
    ):
        assert seen.issuperset(parents)
        seen.add(sha)
    delivered = [sha for shas in _values(made["deliveries"], "commit_shas") for sha in shas]
    assert len(delivered) == len(set(delivered)) < len(seen)
    assert seen.issuperset(delivered)
    heads = _values(made["deliveries"], "delivery_sha")
    assert _values(made["deliveries"], "predecessor_sha") == [None, *heads[:-1]]


def test_counts_of_file_changes_add_up(made: Tables) -> None:
    changes = made["file_changes"]
    assert changes.num_rows == SIZE * PLAN.changes_per_commit
    for side, part in (("added", "new_lines"), ("deleted", "old_lines")):
        kinds = pc.add(pc.add(changes[f"code_{side}"], changes[f"comment_{side}"]), changes[f"blank_{side}"])
        assert kinds.equals(changes[f"lines_{side}"])
        hunks = [sum(hunk[part] for hunk in hunks) for hunks in _values(changes, "hunks")]
        assert hunks == _values(changes, f"lines_{side}")
    per_commit = changes.group_by("commit_sha").aggregate([("lines_added", "sum"), ("path", "count")])
    expected = made["commits"].filter(pc.greater(made["commits"]["files_changed"], 0))
    columns = ["commit_sha", "lines_added", "files_changed"]
    assert sorted(map(tuple, zip(*per_commit.to_pydict().values(), strict=True))) == sorted(
        zip(*(_values(expected, column) for column in columns), strict=True)
    )


@pytest.mark.parametrize(
    ("table", "key"),
    [
        ("file_changes", ["commit_sha", "path"]),
        (
            "delivered_lines",
            ["delivery_sha", "path", "credited_sha", "birth_sha", "removal_sha", "replaced_sha"],
        ),
        ("line_deaths", ["delivery_sha", "remover_sha", "path", "birth_sha"]),
        ("references", ["commit_sha", "reference"]),
        ("refs", ["name"]),
    ],
)
def test_rows_have_the_grain_of_their_table(made: Tables, table: str, key: list[str]) -> None:
    assert made[table].group_by(key).aggregate([]).num_rows == made[table].num_rows


def test_lines_die_in_later_deliveries_than_their_birth(made: Tables) -> None:
    position = dict(
        zip(_values(made["deliveries"], "delivery_sha"), _values(made["deliveries"], "position"), strict=True)
    )
    bringing = {
        sha: row["delivery_sha"] for row in made["deliveries"].to_pylist() for sha in row["commit_shas"]
    }
    for row in (
        made["line_deaths"]
        .select(["delivery_sha", "remover_sha", "birth_sha", "birth_delivery_sha"])
        .to_pylist()
    ):
        assert position[row["birth_delivery_sha"]] < position[row["delivery_sha"]]
        assert bringing[row["birth_sha"]] == row["birth_delivery_sha"]
        assert bringing[row["remover_sha"]] == row["delivery_sha"]


def test_novel_lines_are_those_of_the_whole_delivery_and_file(made: Tables) -> None:
    novel: dict[tuple[str, str], int] = {}
    stated: dict[tuple[str, str], set[int]] = {}
    for row in made["delivered_lines"].select(["delivery_sha", "path", "lines", "novel_lines"]).to_pylist():
        key = row["delivery_sha"], row["path"]
        lines = sum(entry["lines"] for entry in row["lines"] if entry["class"] == "novel")
        novel[key] = novel.get(key, 0) + lines
        stated.setdefault(key, set()).add(row["novel_lines"])
    assert stated == {key: {lines} for key, lines in novel.items()}
