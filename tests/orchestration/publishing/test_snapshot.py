"""Publishing is atomic, and removes old builds after their time."""

import errno
import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import duckdb
import pytest

from orchestration.publishing import snapshot
from orchestration.publishing.snapshot import Published, PublishRefused, new_build_id
from orchestration.state import snapshot_files
from tests.api.published_facts import ORGANIZATION, make_facts
from tests.api.published_rows import write
from tests.published_tables import fill

Change = Callable[[duckdb.DuckDBPyConnection], object]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The published tables of a build."""
    folder = tmp_path_factory.mktemp("built")
    fill(write(make_facts(60), folder / "marts.duckdb"), folder / "tables")
    return folder / "tables"


@pytest.fixture
def tables(built: Path, tmp_path: Path) -> Callable[[], Path]:
    """Make a new copy of the tables to publish."""

    def copied() -> Path:
        return Path(shutil.copyfile(built, tmp_path / "built.published"))

    return copied


def publish(tables: Path, root: Path, keep_replaced: timedelta = snapshot.KEEP_REPLACED) -> Published:
    return snapshot.publish(tables, root, ORGANIZATION, new_build_id(), keep_replaced=keep_replaced)


def files(root: Path) -> set[str]:
    return {path.name for path in (root / ORGANIZATION).glob("*") if not path.name.startswith(".")}


def pointer(root: Path) -> dict[str, str]:
    found: dict[str, str] = json.loads((root / ORGANIZATION / "current.json").read_text())
    return found


def test_the_pointer_names_the_new_file_and_no_partial_file_stays(
    tables: Callable[[], Path], tmp_path: Path
) -> None:
    done = publish(tables(), tmp_path / "root")
    assert files(tmp_path / "root") == {"current.json", f"{done.build_id}.duckdb"}
    assert not (tmp_path / "built.published").exists()
    content = pointer(tmp_path / "root")
    assert content.pop("checksum")
    assert content | {"published_at": ""} == {
        "build_id": done.build_id,
        "file": done.file.name,
        "published_at": "",
        "calculation_version": "0.1.0",
        "bytes": done.file.stat().st_size,
        "sha256": hashlib.sha256(done.file.read_bytes()).hexdigest(),
    }
    assert done.file.stat().st_mode & 0o222 == 0


def test_the_result_counts_the_rows_of_every_table(tables: Callable[[], Path], tmp_path: Path) -> None:
    done = publish(tables(), tmp_path / "root")
    with duckdb.connect(str(done.file), read_only=True) as connection:
        names = [name for (name,) in connection.execute("select table_name from duckdb_tables()").fetchall()]
        counted = {name: connection.table(name).count("*").fetchall()[0][0] for name in names}
    assert done.rows == counted
    assert counted["commits_by_time"] == 60


@pytest.mark.parametrize("step", ["_sync", "_switch_pointer"])
def test_publishing_again_continues_after_an_interruption(
    tables: Callable[[], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    root, build_id, given = tmp_path / "root", new_build_id(), tables()

    def cut(*_: object) -> None:
        raise OSError(errno.EIO, "power cut")

    with monkeypatch.context() as patched:
        patched.setattr(snapshot, step, cut)
        with pytest.raises(OSError, match="power cut"):
            snapshot.publish(given, root, ORGANIZATION, build_id)
    assert files(root) == {f"{build_id}.duckdb"}
    done = snapshot.publish(given, root, ORGANIZATION, build_id)
    again = snapshot.publish(given, root, ORGANIZATION, build_id)
    assert done == again
    assert pointer(root)["build_id"] == build_id


def test_publishing_to_another_file_system_copies_the_file(
    tables: Callable[[], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = tables()
    rename = Path.rename

    def refuse(self: Path, target: Path) -> Path:
        if self == given:
            raise OSError(errno.EXDEV, "Invalid cross-device link")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", refuse)
    done = publish(given, tmp_path / "root")
    assert files(tmp_path / "root") == {"current.json", done.file.name}
    assert not given.exists()
    assert done.rows["commits_by_time"] == 60


def test_teams_are_numbered_depth_first_and_linked_to_all_ancestors(built: Path) -> None:
    with duckdb.connect(str(built), read_only=True) as copy:
        teams = copy.execute("select position, team_id, parent_id from teams order by position").fetchall()
        lines = copy.execute("select team_number, ancestor_number from team_lines").fetchall()
    assert [place for place, _, _ in teams] == list(range(len(teams)))
    parents, places = {key: parent for _, key, parent in teams}, {key: place for place, key, _ in teams}
    expected = set()
    for key in parents:
        above: str | None = key
        while above is not None:
            expected.add((places[key], places[above]))
            above = parents[above]
    assert set(lines) == expected
    assert len(lines) == len(expected)
    for place in places.values():
        below = sorted(team for team, ancestor in expected if ancestor == place)
        assert below == list(range(place, place + len(below)))


def test_positions_follow_the_order_of_lists(built: Path) -> None:
    orders = {
        "commits_by_time": "delivered_at desc nulls last, commit_id",
        "commits_by_repository": "repository_id, delivered_at desc nulls last, commit_id",
        "commits_by_developer": "developer_id, delivered_at desc nulls last, commit_id",
    }
    with duckdb.connect(str(built), read_only=True) as connection:
        for table, order in orders.items():
            wrong = connection.execute(
                f"select count(*) from (select position, row_number() over (order by {order}) - 1 as place "
                f"from {table}) where position <> place"
            ).fetchone()
            assert wrong == (0,)


def test_build_ids_sort_by_time_and_never_repeat() -> None:
    ids = [new_build_id() for _ in range(3)]
    assert len(set(ids)) == 3
    assert ids == sorted(ids)


BROKEN: list[tuple[Change, str]] = [
    (lambda c: c.execute("drop table organizations"), "has no organizations; build all models"),
    (lambda c: c.execute("delete from organizations"), r"has the organization \[\]"),
    (lambda c: c.execute("update organizations set organization_id = 'x'"), r"has the organization \['x'\]"),
]  # fmt: skip


@pytest.mark.parametrize(("change", "reason"), BROKEN, ids=[reason for _, reason in BROKEN])
def test_bad_tables_keep_the_last_build_current(
    tables: Callable[[], Path], tmp_path: Path, change: Change, reason: str
) -> None:
    root = tmp_path / "root"
    good = publish(tables(), root)
    before = (files(root), (root / ORGANIZATION / "current.json").read_bytes())
    broken = tables()
    with duckdb.connect(str(broken)) as connection:
        change(connection)
    with pytest.raises(PublishRefused, match=reason):
        publish(broken, root)
    assert (files(root), (root / ORGANIZATION / "current.json").read_bytes()) == before
    assert pointer(root)["build_id"] == good.build_id


def test_missing_tables_name_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(PublishRefused, match="build the warehouse first"):
        publish(tmp_path / "none.published", tmp_path)


def test_partial_files_of_a_killed_publish_are_removed(tables: Callable[[], Path], tmp_path: Path) -> None:
    folder = tmp_path / ORGANIZATION
    folder.mkdir()
    for name in ("dead.writing", "dead.writing.wal", "current.json.writing"):
        (folder / name).write_bytes(b"half")
    spilled = folder / "dead.writing.spill"
    spilled.mkdir()
    (spilled / "block").write_bytes(b"half")
    done = publish(tables(), tmp_path)
    assert files(tmp_path) == {"current.json", done.file.name}


def test_a_broken_pointer_does_not_stop_publishing(tables: Callable[[], Path], tmp_path: Path) -> None:
    (tmp_path / ORGANIZATION).mkdir()
    (tmp_path / ORGANIZATION / "current.json").write_text("{")
    done = publish(tables(), tmp_path)
    assert pointer(tmp_path)["build_id"] == done.build_id


def test_a_replaced_build_stays_for_half_an_hour(tables: Callable[[], Path], tmp_path: Path) -> None:
    first = publish(tables(), tmp_path)
    age(first.file, timedelta(days=3))
    second = publish(tables(), tmp_path)
    # Its half hour starts when it is replaced.
    third = publish(tables(), tmp_path)
    assert first.file.exists()
    age(first.file, timedelta(minutes=29))
    age(second.file, timedelta(minutes=31))
    fourth = publish(tables(), tmp_path)
    assert files(tmp_path) == {"current.json", first.file.name, third.file.name, fourth.file.name}


def age(file: Path, by: timedelta) -> None:
    """Set the age of a replaced file."""
    then = file.stat().st_mtime - by.total_seconds()
    os.utime(file, (then, then))


def test_a_build_that_is_being_read_is_never_removed(tables: Callable[[], Path], tmp_path: Path) -> None:
    first = publish(tables(), tmp_path)
    with first.file.open("rb") as reader:
        fcntl.flock(reader, fcntl.LOCK_SH)
        publish(tables(), tmp_path, keep_replaced=timedelta(0))
        publish(tables(), tmp_path, keep_replaced=timedelta(0))
        assert first.file.exists()
    publish(tables(), tmp_path, keep_replaced=timedelta(0))
    assert not first.file.exists()


@pytest.mark.parametrize("moment", ["before the move", "after a killed publish"])
def test_tables_that_changed_after_their_build_are_not_published(
    tables: Callable[[], Path], tmp_path: Path, moment: str
) -> None:
    root, build_id = tmp_path / "root", new_build_id()
    good = publish(tables(), root)
    given = tables()
    written = snapshot_files.written(given)
    assert written is not None
    if moment == "before the move":
        damaged = given
    else:
        damaged = root / ORGANIZATION / f"{build_id}.duckdb"
        shutil.move(given, damaged)
    content = bytearray(damaged.read_bytes())
    content[-100] ^= 4
    damaged.write_bytes(bytes(content))
    # The last block has rows or what DuckDB reads when it opens the file, as the sizes of the tables have it.
    with pytest.raises((PublishRefused, duckdb.IOException), match=r"run `eas analyze` again|checksum"):
        snapshot.publish(given, root, ORGANIZATION, build_id, written=written)
    assert pointer(root)["build_id"] == good.build_id
    assert not (root / ORGANIZATION / f"{build_id}.duckdb").exists()
    snapshot.publish(tables(), root, ORGANIZATION, build_id, written=written)
    assert pointer(root)["sha256"] == written[1]


def test_the_pointer_names_the_build_before_until_the_new_one_is_on_the_disk(
    tables: Callable[[], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "root"
    first = publish(tables(), root)
    sync = snapshot._sync

    def cut(path: Path) -> None:
        if path.name.startswith("current.json"):
            raise OSError(errno.EIO, "power cut")
        sync(path)

    with monkeypatch.context() as patched:
        patched.setattr(snapshot, "_sync", cut)
        with pytest.raises(OSError, match="power cut"):
            publish(tables(), root)
    assert pointer(root)["build_id"] == first.build_id
    second = publish(tables(), root)
    assert pointer(root)["build_id"] == second.build_id
