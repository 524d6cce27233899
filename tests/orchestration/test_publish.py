"""Publishing: all or nothing, checked, and old builds go when nobody can want them."""

import fcntl
import json
import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import duckdb
import pytest

from orchestration import publish as publishing
from orchestration.publish import PublishRefused, publish
from orchestration.published_schema import RELATIONS
from tests.api.published_facts import CATEGORIES, ORGANIZATION, make_facts
from tests.api.published_rows import write

Break = Callable[[duckdb.DuckDBPyConnection], object]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(make_facts(60), tmp_path_factory.mktemp("built") / "built.duckdb")


def copied(built: Path, folder: Path, change: Break) -> Path:
    """The warehouse with a change."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "changed.duckdb"
    path.write_bytes(built.read_bytes())
    with duckdb.connect(str(path)) as connection:
        change(connection)
    return path


def files(root: Path) -> set[str]:
    return {path.name for path in (root / ORGANIZATION).glob("*") if not path.name.startswith(".")}


def pointer(root: Path) -> dict[str, str]:
    found: dict[str, str] = json.loads((root / ORGANIZATION / "current.json").read_text())
    return found


def test_the_pointer_names_the_new_file_and_nothing_else_is_left(built: Path, tmp_path: Path) -> None:
    done = publish(built, tmp_path, ORGANIZATION)
    assert files(tmp_path) == {"current.json", f"{done.build_id}.duckdb"}
    assert pointer(tmp_path) | {"published_at": ""} == {
        "build_id": done.build_id,
        "file": done.file.name,
        "published_at": "",
        "calculation_version": "0.1.0",
    }
    assert not os.access(done.file, os.W_OK) or os.geteuid() == 0
    assert done.file.stat().st_mode & 0o222 == 0


def test_every_row_arrives_in_every_copy(built: Path, tmp_path: Path) -> None:
    done = publish(built, tmp_path, ORGANIZATION)
    with (
        duckdb.connect(str(built), read_only=True) as source,
        duckdb.connect(str(done.file), read_only=True) as copy,
    ):
        for relation in RELATIONS:
            (rows,) = source.execute(f"select count(*) from {relation.name}").fetchone() or (None,)
            assert done.rows[relation.name] == rows
            for table in relation.copies:
                if not table.group:
                    assert copy.execute(f"select count(*) from {table.name}").fetchone() == (rows,)
                elif table.name == "commit_counts":
                    assert copy.execute(f"select sum(commit_count) from {table.name}").fetchone() == (rows,)
                elif table.name == "people_of_months":
                    people = "repository_id, developer_id, team_id, is_bot, is_sandbox"
                    wanted = source.execute(
                        f"select strftime(delivered_on, '%Y-%m-01')::date as month, {people}, "
                        f"list_sort(list(distinct category)) from {relation.name} group by all"
                    ).fetchall()
                    named = " ".join(
                        f"left join (select position, {one}_id from {many}) as {one} on {one}.position = {one}_place"
                        for one, many in (
                            ("repository", "repositories"),
                            ("developer", "developers"),
                            ("team", "teams"),
                        )
                    )
                    found = [
                        (*row, sorted(CATEGORIES[bit] for bit in range(5) if kinds >> bit & 1))
                        for *row, kinds in copy.execute(
                            f"select month, {people}, kinds from {table.name} {named}"
                        ).fetchall()
                    ]
                    assert sorted(found, key=str) == sorted(wanted, key=str)
                    assert found
                elif table.name not in ("team_lines", "developer_known_ids"):
                    sums = "sum(etv_micro), sum(commits), sum(lines_added)"
                    wanted = source.execute(f"select {sums} from {relation.name}").fetchone()
                    periods = ("day", "month", "year") if table.name.endswith("_periods") else (None,)
                    for period in periods:
                        where = f"where period = '{period}'" if period else ""
                        found = copy.execute(f"select {sums} from {table.name} {where}").fetchone()
                        assert found == wanted, (table.name, period)


def test_teams_have_their_places_depth_first_and_lines_to_all_above(built: Path, tmp_path: Path) -> None:
    done = publish(built, tmp_path, ORGANIZATION)
    with duckdb.connect(str(done.file), read_only=True) as copy:
        teams = copy.execute("select position, team_id, parent_id from teams order by position").fetchall()
        lines = copy.execute("select team_place, ancestor_place from team_lines").fetchall()
    assert [place for place, _, _ in teams] == list(range(len(teams)))
    parents, places = {key: parent for _, key, parent in teams}, {key: place for place, key, _ in teams}
    wanted = set()
    for key in parents:
        above: str | None = key
        while above is not None:
            wanted.add((places[key], places[above]))
            above = parents[above]
    assert set(lines) == wanted
    assert len(lines) == len(wanted)
    for place in places.values():
        below = sorted(team for team, ancestor in wanted if ancestor == place)
        assert below == list(range(place, place + len(below)))


def test_places_follow_the_order_that_lists_are_read_in(built: Path, tmp_path: Path) -> None:
    done = publish(built, tmp_path, ORGANIZATION)
    orders = {
        "commits_by_time": "delivered_at desc nulls last, commit_id",
        "commits_by_repository": "repository_id, delivered_at desc nulls last, commit_id",
        "commits_by_developer": "developer_id, delivered_at desc nulls last, commit_id",
    }
    with duckdb.connect(str(done.file), read_only=True) as connection:
        for table, order in orders.items():
            wrong = connection.execute(
                f"select count(*) from (select position, row_number() over (order by {order}) - 1 as place "
                f"from {table}) where position <> place"
            ).fetchone()
            assert wrong == (0,)


def test_build_ids_sort_by_time_and_never_repeat(built: Path, tmp_path: Path) -> None:
    ids = [publish(built, tmp_path, ORGANIZATION).build_id for _ in range(3)]
    assert len(set(ids)) == 3
    assert ids == sorted(ids)


BROKEN: list[tuple[Break, str]] = [
    (lambda c: c.execute("drop table api_v1__capex"), "no api_v1__capex"),
    (lambda c: c.execute("alter table api_v1__commits drop column subject"), "no column subject"),
    (lambda c: c.execute("alter table api_v1__commits alter etv_micro type double"), "is DOUBLE, expected integer"),
    (lambda c: c.execute("alter table api_v1__daily alter commits type hugeint"), "commits is HUGEINT"),
    (lambda c: c.execute("insert into api_v1__commits select * from api_v1__commits limit 1"), "repeats its key"),
    (lambda c: c.execute("insert into api_v1__daily select * from api_v1__daily limit 2"), "in 2 rows"),
    (lambda c: c.execute("delete from api_v1__organizations"), "api_v1__organizations is empty"),
    (lambda c: c.execute("update api_v1__organizations set organization_id = 'x'"), "built for"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "reason"), BROKEN, ids=[reason for _, reason in BROKEN])
def test_a_bad_warehouse_leaves_the_last_good_build(
    built: Path, tmp_path: Path, change: Break, reason: str
) -> None:
    root = tmp_path / "published"
    good = publish(built, root, ORGANIZATION)
    before = (files(root), (root / ORGANIZATION / "current.json").read_bytes())
    with pytest.raises(PublishRefused, match=reason):
        publish(copied(built, tmp_path, change), root, ORGANIZATION)
    assert (files(root), (root / ORGANIZATION / "current.json").read_bytes()) == before
    assert pointer(root)["build_id"] == good.build_id


def test_columns_that_a_model_adds_are_published_too(built: Path, tmp_path: Path) -> None:
    def widen(connection: duckdb.DuckDBPyConnection) -> None:
        connection.execute("alter table api_v1__commits add column mood varchar default 'good'")

    done = publish(copied(built, tmp_path, widen), tmp_path / "published", ORGANIZATION)
    with duckdb.connect(str(done.file), read_only=True) as connection:
        assert connection.execute("select distinct mood from commits_by_time").fetchall() == [("good",)]


def test_a_missing_warehouse_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(PublishRefused, match="build the warehouse first"):
        publish(tmp_path / "none.duckdb", tmp_path, ORGANIZATION)


def test_an_organization_without_any_work_can_be_published(built: Path, tmp_path: Path) -> None:
    def empty(connection: duckdb.DuckDBPyConnection) -> None:
        for relation in RELATIONS[1:]:
            connection.execute(f"delete from {relation.name}")

    done = publish(copied(built, tmp_path, empty), tmp_path / "published", ORGANIZATION)
    assert done.rows["api_v1__commits"] == 0


def test_what_a_killed_publisher_left_is_swept_away(built: Path, tmp_path: Path) -> None:
    folder = tmp_path / ORGANIZATION
    folder.mkdir()
    for name in ("dead.writing", "dead.writing.wal", "current.json.writing"):
        (folder / name).write_bytes(b"half")
    spilled = folder / "dead.writing.spill"
    spilled.mkdir()
    (spilled / "block").write_bytes(b"half")
    done = publish(built, tmp_path, ORGANIZATION)
    assert files(tmp_path) == {"current.json", done.file.name}


def test_a_broken_pointer_does_not_stop_publishing(built: Path, tmp_path: Path) -> None:
    (tmp_path / ORGANIZATION).mkdir()
    (tmp_path / ORGANIZATION / "current.json").write_text("{")
    done = publish(built, tmp_path, ORGANIZATION)
    assert pointer(tmp_path)["build_id"] == done.build_id


def test_a_replaced_build_stays_for_half_an_hour(built: Path, tmp_path: Path) -> None:
    first = publish(built, tmp_path, ORGANIZATION)
    age(first.file, timedelta(days=3))
    second = publish(built, tmp_path, ORGANIZATION)
    # However long it was current, its half hour starts when it is replaced.
    third = publish(built, tmp_path, ORGANIZATION)
    assert first.file.exists()
    age(first.file, timedelta(minutes=29))
    age(second.file, timedelta(minutes=31))
    fourth = publish(built, tmp_path, ORGANIZATION)
    assert files(tmp_path) == {"current.json", first.file.name, third.file.name, fourth.file.name}


def age(file: Path, by: timedelta) -> None:
    """As if the file had been replaced so long ago."""
    then = file.stat().st_mtime - by.total_seconds()
    os.utime(file, (then, then))


def test_a_build_that_is_being_read_is_never_removed(built: Path, tmp_path: Path) -> None:
    first = publish(built, tmp_path, ORGANIZATION)
    with first.file.open("rb") as reader:
        fcntl.flock(reader, fcntl.LOCK_SH)
        publish(built, tmp_path, ORGANIZATION, keep_replaced=timedelta(0))
        publish(built, tmp_path, ORGANIZATION, keep_replaced=timedelta(0))
        assert first.file.exists()
    publish(built, tmp_path, ORGANIZATION, keep_replaced=timedelta(0))
    assert not first.file.exists()


def test_a_failure_while_writing_leaves_nothing_behind(
    built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(publishing, "_sync", full)
    with pytest.raises(OSError, match="No space left"):
        publish(built, tmp_path, ORGANIZATION)
    assert files(tmp_path) == set()


def test_the_caller_keeps_its_own_priority(built: Path, tmp_path: Path) -> None:
    before = os.getpriority(os.PRIO_PROCESS, 0)
    publish(built, tmp_path, ORGANIZATION)
    assert os.getpriority(os.PRIO_PROCESS, 0) == before
