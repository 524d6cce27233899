"""Damage to the files of a deployment: the next run repairs it, or says what helps and keeps the last good figures.

Most stories build the small warehouse, which publishes every raw row. Those of REAL build the real one.
"""

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.end_to_end.damages import DAMAGES, flip, published, raw, state_file, truncate
from tests.end_to_end.eas import Eas
from tests.git_repository import GitRepository
from tests.suite.tiers import some, spread


@pytest.fixture(scope="module")
def eas(tmp_path_factory: pytest.TempPathFactory) -> Eas:
    """A deployment with the small warehouse, shared by the tests of this module."""
    return Eas(tmp_path_factory.mktemp("deployment") / "data", is_small=True)


@pytest.fixture(scope="module")
def real_eas(tmp_path_factory: pytest.TempPathFactory, house: GitRepository) -> Eas:
    """A deployment with the real warehouse after the first run over `house`."""
    made = Eas(tmp_path_factory.mktemp("real") / "data")
    done = made.run_here("analyze", house.path)
    assert done.returncode == 0, done.stdout
    return made


@pytest.fixture(scope="module")
def first_run(eas: Eas, house: GitRepository) -> subprocess.CompletedProcess[str]:
    """The first run over the repository `house`, in this process: the network and the output do not matter here."""
    done = eas.run_here("analyze", house.path)
    assert done.returncode == 0, done.stdout
    return done


# Where the parts of the real project matter most: its figures follow facts that were read again, and a warehouse of two
# hundred models is made anew.
REAL = ("a byte of delivered_lines flipped", "the warehouse truncated")


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


@pytest.mark.parametrize("damage", spread((name for name in DAMAGES if name not in REAL), 4))
def test_the_next_run_repairs_the_damage_by_itself(
    first_run: subprocess.CompletedProcess[str], eas: Eas, copy: Eas, house: GitRepository, damage: str
) -> None:
    DAMAGES[damage](copy)
    _check_repair(copy, eas, house)


# The same repair as above, with the models of the product: minutes for another look at one path.
@pytest.mark.release
@pytest.mark.parametrize("damage", REAL)
def test_the_next_run_repairs_the_damage_to_real_figures_by_itself(
    real_eas: Eas, house: GitRepository, tmp_path: Path, damage: str
) -> None:
    copy = Eas(shutil.copytree(real_eas.data, tmp_path / "data"))
    DAMAGES[damage](copy)
    _check_repair(copy, real_eas, house)


def _check_repair(damaged: Eas, whole: Eas, house: GitRepository) -> None:
    done = damaged.run_here("analyze", house.path)
    assert done.returncode == 0, done.stdout
    assert "Nothing new" not in done.stdout
    assert differing(damaged, whole) == {}
    assert "FAIL" not in damaged.run_here("doctor").stdout
    assert "Nothing new" in damaged.run_here("analyze", house.path).stdout


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
    truncate(state_file(copy))
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
    for number in range(3):
        repository.commit({f"a{number}.py": f"value = compute({number}) + {number}\n"}, "Add a part")
    after = Eas(folder / "after", is_small=True)
    assert after.run_here("analyze", repository.path).returncode == 0
    shutil.copytree(after.data, folder / "before")
    repository.commit({"late.py": "late = 1 + offset(2)\n"}, "Add what came late")
    assert after.run_here("analyze", repository.path).returncode == 0
    return Grown(repository, Eas(folder / "before", is_small=True), after)


def test_damaged_facts_are_repaired_before_new_commits_are_read(grown: Grown, tmp_path: Path) -> None:
    damaged = Eas(shutil.copytree(grown.before.data, tmp_path / "damaged"), is_small=True)
    flip(raw(damaged, "file_changes"))
    done = damaged.run_here("analyze", grown.repository.path)
    assert done.returncode == 0, done.stdout
    assert differing(damaged, grown.after) == {}


@pytest.mark.parametrize(
    "parts", some([("raw",), ("published",), ("run_state",), ("raw", "published"), ("warehouse",)], 2)
)
def test_an_older_copy_that_is_put_back_is_noticed(
    grown: Grown, tmp_path: Path, parts: tuple[str, ...]
) -> None:
    shutil.copytree(grown.after.data, tmp_path / "now")
    now = Eas(tmp_path / "now", is_small=True)
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
