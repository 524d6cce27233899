"""Damage to the files of a deployment: the next run repairs it, or says what helps and keeps the last good figures."""

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from orchestration.deployment import LOCAL_ORGANIZATION
from tests.end_to_end.eas import Eas
from tests.git_repository import GitRepository


@pytest.fixture(scope="module")
def first_run(eas: Eas, house: GitRepository) -> subprocess.CompletedProcess[str]:
    """The first run over the repository `house`, in this process: the network and the output do not matter here."""
    done = eas.run_here("analyze", house.path)
    assert done.returncode == 0, done.stdout
    return done


def raw(eas: Eas, table: str) -> Path:
    """The only file of a raw table."""
    folder = eas.data / "raw/git" / table / f"organization_id={LOCAL_ORGANIZATION}"
    [file] = (one for one in folder.glob("*/*.parquet") if one.name != "empty.parquet")
    return file


def published(eas: Eas, name: str) -> Path:
    return eas.data / "published" / LOCAL_ORGANIZATION / name


def truncate(file: Path) -> None:
    content = file.read_bytes()
    file.chmod(0o644)
    file.write_bytes(content[: len(content) // 2])


def flip(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 3] ^= 4
    file.chmod(0o644)
    file.write_bytes(bytes(content))


def swap(one: Path, other: Path) -> None:
    mine, its = one.read_bytes(), other.read_bytes()
    one.write_bytes(its)
    other.write_bytes(mine)


def put_foreign_file(eas: Eas) -> None:
    """A copy of the facts in a folder that the pattern of earlier releases matched, and damage that needs a build."""
    file = raw(eas, "file_changes")
    folder = file.parent.parent / "backup"
    folder.mkdir()
    shutil.copyfile(file, folder / file.name)
    shutil.copyfile(file, file.with_name("000009-copy.parquet"))
    published(eas, "current.json").write_bytes(b"")


def differing(one: Eas, other: Eas) -> dict[str, tuple[list[str], list[str]]]:
    """Of each published table, some rows that only one of both deployments has."""
    mine, its = one.everything(), other.everything()
    assert mine.keys() == its.keys()
    return {
        table: (
            sorted(set(mine[table]) - set(its[table]))[:2],
            sorted(set(its[table]) - set(mine[table]))[:2],
        )
        for table in mine
        if mine[table] != its[table]
    }


def state_file(eas: Eas) -> Path:
    """The file that lists the facts of the repository."""
    [file] = (eas.data / "raw/_state/git" / LOCAL_ORGANIZATION).glob("*.json")
    return file


def replace_by_pipes(*files: Path) -> None:
    """Let named pipes stand in the places of files: reading one would wait for ever."""
    for file in files:
        file.unlink()
        os.mkfifo(file)


def replace_by_folders(*files: Path) -> None:
    for file in files:
        file.unlink()
        file.mkdir()
        (file / "inside").write_text("something")


def replace_by_files(*folders: Path) -> None:
    for folder in folders:
        shutil.rmtree(folder)
        folder.write_text("no folder")


def damage_records(eas: Eas) -> None:
    truncate(eas.data / "dagster/history/runs.db")
    published(eas, "current.json").unlink()


DAMAGES: dict[str, Callable[[Eas], object]] = {
    "the state of the facts overwritten": lambda eas: state_file(eas).write_bytes(b"\xc4" * 100),
    "pipes instead of state, pointer and journal": lambda eas: replace_by_pipes(
        state_file(eas),
        published(eas, "current.json"),
        eas.data / "journal" / LOCAL_ORGANIZATION / "build.json",
    ),
    "folders instead of lock, pointer and facts": lambda eas: replace_by_folders(
        eas.data / f"raw/_state/locks/org-{LOCAL_ORGANIZATION}.lock",
        published(eas, "current.json"),
        raw(eas, "refs"),
    ),
    "files instead of folders": lambda eas: replace_by_files(
        eas.data / "raw/_state",
        eas.data / "published" / LOCAL_ORGANIZATION,
        eas.data / "warehouse",
    ),
    "file_changes deleted": lambda eas: raw(eas, "file_changes").unlink(),
    "deliveries deleted": lambda eas: raw(eas, "deliveries").unlink(),
    "commits truncated": lambda eas: truncate(raw(eas, "commits")),
    "a byte of delivered_lines flipped": lambda eas: flip(raw(eas, "delivered_lines")),
    "two raw files swapped": lambda eas: swap(raw(eas, "refs"), raw(eas, "reachability")),
    "foreign and duplicate files": put_foreign_file,
    "the raw lake deleted": lambda eas: shutil.rmtree(eas.data / "raw"),
    "the pointer emptied": lambda eas: published(eas, "current.json").write_bytes(b""),
    "the snapshot truncated": lambda eas: truncate(published(eas, eas.pointer()["file"])),
    "a byte of the snapshot flipped": lambda eas: flip(published(eas, eas.pointer()["file"])),
    "the snapshot deleted": lambda eas: published(eas, eas.pointer()["file"]).unlink(),
    "the warehouse deleted": lambda eas: (eas.data / f"warehouse/{LOCAL_ORGANIZATION}.duckdb").unlink(),
    "the warehouse truncated": lambda eas: truncate(eas.data / f"warehouse/{LOCAL_ORGANIZATION}.duckdb"),
    "Dagster's records damaged": damage_records,
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_the_next_run_repairs_the_damage_by_itself(
    first_run: subprocess.CompletedProcess[str], eas: Eas, copy: Eas, house: GitRepository, damage: str
) -> None:
    DAMAGES[damage](copy)
    done = copy.run_here("analyze", house.path)
    assert done.returncode == 0, done.stdout
    assert "Nothing new" not in done.stdout
    assert differing(copy, eas) == {}
    assert "FAIL" not in copy.run_here("doctor").stdout
    assert "Nothing new" in copy.run_here("analyze", house.path).stdout


def test_damaged_facts_are_repaired_before_new_commits_are_read(
    first_run: subprocess.CompletedProcess[str], copy: Eas, house: GitRepository, tmp_path: Path
) -> None:
    moved = GitRepository(tmp_path / "grown")
    for number in range(3):
        moved.commit({f"a{number}.py": f"value = compute({number}) + {number}\n"}, "Add a part")
    known = raw(copy, "file_changes")
    assert copy.run_here("analyze", moved.path).returncode == 0
    files = (copy.data / "raw/git/file_changes").rglob("0*.parquet")
    [file] = (one for one in files if one.parent != known.parent)
    flip(file)
    moved.commit({"late.py": "late = 1 + offset(2)\n"}, "Add what came late")
    assert copy.run_here("analyze", moved.path).returncode == 0
    whole = Eas(tmp_path / "whole")
    assert whole.run_here("analyze", house.path, moved.path).returncode == 0
    assert differing(copy, whole) == {}


def test_facts_that_cannot_be_read_again_keep_the_last_good_figures_until_they_are_removed(
    first_run: subprocess.CompletedProcess[str], eas: Eas, copy: Eas, house: GitRepository, tmp_path: Path
) -> None:
    gone = GitRepository(tmp_path / "gone")
    gone.commit({"a.py": "value = compute(1) + 1\n"}, "Add a part")
    assert copy.run_here("analyze", gone.path).returncode == 0
    before = copy.everything()
    shutil.rmtree(gone.path)
    for file in (copy.data / "raw/git/deliveries").rglob("0*.parquet"):
        file.unlink()
    done = copy.run_here("analyze", house.path)
    assert done.returncode == 1
    for part in ("Facts of gone", "is missing", "`eas remove gone`"):
        assert part in done.stdout
    assert "Traceback" not in done.stdout
    assert copy.everything() == before
    assert "`eas remove gone`" in copy.run_here("doctor").stdout
    removed = copy.run_here("remove", "gone", "--yes")
    assert removed.returncode == 0, removed.stdout
    assert differing(copy, eas) == {}


def test_the_doctor_repairs_when_asked_and_agrees_with_the_next_run(
    first_run: subprocess.CompletedProcess[str], eas: Eas, copy: Eas, house: GitRepository
) -> None:
    flip(raw(copy, "file_changes"))
    published(copy, "current.json").write_bytes(b"")
    found = copy.run_here("doctor")
    assert found.returncode == 1
    assert "FAIL Facts of house" in found.stdout
    assert "FAIL Pointer to the published build" in found.stdout
    fixed = copy.run_here("doctor", "--fix")
    assert fixed.returncode == 0, fixed.stdout
    assert differing(copy, eas) == {}
    assert "Nothing new" in copy.run_here("analyze", house.path).stdout


@pytest.mark.parametrize("damage", ["deleted", "emptied", "truncated"])
def test_a_lost_control_database_keeps_the_figures_until_somebody_decides(
    first_run: subprocess.CompletedProcess[str],
    eas: Eas,
    copy: Eas,
    house: GitRepository,
    damage: str,
) -> None:
    database = copy.data / "control.db"
    damages: dict[str, Callable[[Path], object]] = {
        "deleted": Path.unlink,
        "emptied": lambda file: file.write_bytes(b""),
        "truncated": truncate,
    }
    damages[damage](database)
    done = copy.run_here("analyze", house.path)
    assert done.returncode == 1
    for part in ("control database", "backup", "`eas doctor --fix`"):
        assert part in done.stdout
    assert differing(copy, eas) == {}
    assert copy.run_here("doctor").returncode == 1
    copy.run_here("doctor", "--fix")
    done = copy.run_here("analyze", house.path)
    assert done.returncode == 0, done.stdout
    # Nobody had decided anything, so nothing is missing.
    assert differing(copy, eas) == {}


@pytest.mark.usefixtures("first_run")
def test_facts_that_were_lost_with_the_control_database_are_extracted_again(
    eas: Eas, copy: Eas, house: GitRepository
) -> None:
    [state] = (copy.data / "raw/_state/git" / LOCAL_ORGANIZATION).glob("*.json")
    truncate(state)
    (copy.data / "control.db").write_bytes(b"")
    copy.run_here("doctor", "--fix")
    done = copy.run_here("analyze", house.path)
    assert done.returncode == 0, done.stdout
    assert differing(copy, eas) == {}


@dataclass(frozen=True)
class Grown:
    """A repository, and deployments that analysed it before and after its last commit."""

    repository: GitRepository
    before: Eas
    after: Eas


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Grown:
    folder = tmp_path_factory.mktemp("grown")
    repository = GitRepository(folder / "grown")
    repository.commit({"a.py": "value = compute(1) + 1\n"}, "Add a part")
    after = Eas(folder / "after")
    assert after.run_here("analyze", repository.path).returncode == 0
    shutil.copytree(after.data, folder / "before")
    repository.commit({"b.py": "value = compute(2) + 2\n"}, "Add another part")
    assert after.run_here("analyze", repository.path).returncode == 0
    return Grown(repository, Eas(folder / "before"), after)


@pytest.mark.parametrize(
    "parts", [("raw",), ("published",), ("journal",), ("raw", "published"), ("warehouse",)]
)
def test_an_older_copy_that_is_put_back_is_noticed(
    grown: Grown, tmp_path: Path, parts: tuple[str, ...]
) -> None:
    shutil.copytree(grown.after.data, tmp_path / "now")
    now = Eas(tmp_path / "now")
    for part in parts:
        shutil.rmtree(now.data / part)
        shutil.copytree(grown.before.data / part, now.data / part)
    assert now.run_here("doctor").returncode == 1
    done = now.run_here("analyze", grown.repository.path)
    assert done.returncode == 0, done.stdout
    assert now.everything() == grown.after.everything()
    assert "FAIL" not in now.run_here("doctor").stdout


def test_foreign_files_are_named_and_moved_aside(
    first_run: subprocess.CompletedProcess[str], eas: Eas, copy: Eas, house: GitRepository
) -> None:
    foreign = raw(copy, "refs").with_name("backup of refs.parquet")
    foreign.write_bytes(b"precious")
    assert f"warn Foreign files: {foreign.relative_to(copy.data)}: no run" in copy.run_here("doctor").stdout
    done = copy.run_here("analyze", house.path)
    assert done.returncode == 0, done.stdout
    assert f"{foreign.name}: no file of this service, moved to" in done.stdout
    [kept] = (copy.data / "set-aside").rglob(foreign.name)
    assert kept.read_bytes() == b"precious"
    assert "set-aside" not in copy.run_here("analyze", house.path).stdout
    assert differing(copy, eas) == {}
