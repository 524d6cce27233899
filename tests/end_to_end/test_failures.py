"""What goes wrong around the main job, and what is left of it."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from orchestration.deployment import LOCAL_ORGANIZATION
from tests.end_to_end.eas import Eas
from tests.end_to_end.histories import varied
from tests.git_repository import GitRepository

NewRepository = Callable[..., GitRepository]


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("/no/such/place", "does not exist"),
        ("{folder}", "not (in) a Git repository"),
        ("file:///etc", "file: addresses are refused"),
        ("ext::sh -c id", "refused"),
        ("--upload-pack=id", "No such option"),
        ("", "empty"),
    ],
)
def test_what_is_no_repository_is_refused_with_the_reason(
    fresh_eas: Eas, tmp_path: Path, target: str, reason: str
) -> None:
    folder = tmp_path / "empty-folder"
    folder.mkdir()
    done = fresh_eas.run("analyze", target.format(folder=folder))
    assert done.returncode in (1, 2)
    assert reason in done.stdout
    assert "Traceback" not in done.stdout


def test_a_repository_without_commits_is_refused(fresh_eas: Eas, repository: GitRepository) -> None:
    done = fresh_eas.run("analyze", repository.path)
    assert done.returncode == 1
    assert "no commit on any branch" in done.stdout


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> GitRepository:
    return varied(GitRepository(tmp_path_factory.mktemp("repositories") / "house"))


@pytest.fixture(scope="module")
def offline_run(
    tmp_path_factory: pytest.TempPathFactory, eas: Eas, house: GitRepository
) -> subprocess.CompletedProcess[str]:
    """A run without network; the deployment that it leaves is what others are compared with."""
    prefix = without_network()
    more = {}
    if not prefix:
        folder = tmp_path_factory.mktemp("sitecustomize")
        (folder / "sitecustomize.py").write_text(
            "import socket\n"
            "def refuse(*_, **__): raise OSError('the network is cut')\n"
            "socket.socket.connect = socket.getaddrinfo = socket.create_connection = refuse\n"
        )
        more = {"PYTHONPATH": str(folder)}
    return eas.run("analyze", house.path, prefix=prefix, **more)


def without_network() -> tuple[str, ...]:
    """A prefix that runs a command without any network but a loopback that is down; empty where not permitted."""
    prefix = ("unshare", "--map-root-user", "--net", "--")
    try:
        works = subprocess.run([*prefix, "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        works = False
    return prefix if works else ()


@pytest.fixture
def copy(offline_run: subprocess.CompletedProcess[str], eas: Eas, tmp_path: Path) -> Eas:
    """A deployment of its own, as after the first run."""
    shutil.copytree(eas.data, tmp_path / "data")
    return Eas(tmp_path / "data")


def test_without_any_network_the_main_job_succeeds(offline_run: subprocess.CompletedProcess[str]) -> None:
    assert offline_run.returncode == 0, offline_run.stdout
    assert "Ada Lovelace" in offline_run.stdout


def test_bad_repositories_are_counted_and_the_good_ones_are_reported(
    copy: Eas, house: GitRepository, new_repository: NewRepository
) -> None:
    broken, damaged = new_repository("broken"), new_repository("damaged")
    for repository in (broken, damaged):
        for number in range(3):
            repository.commit({"a.py": f"value = {number} + offset('{repository.path.name}')\n"})
    overwrite(broken, broken.heads["main"])
    overwrite(damaged, damaged.git("rev-parse", "main~1^{tree}").strip())
    done = copy.run("analyze", broken.path, house.path, damaged.path, "/no/such/place")
    assert done.returncode == 1
    assert "Failed: /no/such/place" in done.stdout
    assert f"Failed: {broken.path}" in done.stdout
    assert "2 failed, 2 repositories could be opened" in done.stdout
    assert "damaged: 3 new commits" in done.stdout
    assert "2 times an object could not be read" in done.stdout
    assert "Ada Lovelace" in done.stdout
    assert copy.rows("select name from repositories order by 1") == [("damaged",), ("house",)]
    examined = copy.run("doctor")
    assert "Repository damaged" in examined.stdout
    assert "2 times an object could not be read" in examined.stdout


def overwrite(repository: GitRepository, sha: str) -> None:
    """Makes an object unreadable."""
    (repository.git_dir / "objects" / sha[:2] / sha[2:]).write_bytes(b"not zlib")


def test_two_runs_at_once_do_not_disturb_each_other(fresh_eas: Eas, repository: GitRepository) -> None:
    repository.commit({"b.py": "other = offset('b') + 1\n"})
    processes = [fresh_eas.start("analyze", repository.path) for _ in range(2)]
    outputs = [process.communicate(timeout=300)[0] for process in processes]
    codes = [process.returncode for process in processes]
    for code, output in zip(codes, outputs, strict=True):
        assert "Traceback" not in output
        assert code == 0 or "Another process" in output, output
    assert 0 in codes
    final = fresh_eas.run("analyze", repository.path)
    assert final.returncode == 0, final.stdout
    assert fresh_eas.rows("select count(*) from commits_by_time") == [(1,)]


def test_a_failing_build_leaves_the_last_one_published(copy: Eas, house: GitRepository) -> None:
    before = copy.pointer()
    (copy.data / "journal" / LOCAL_ORGANIZATION / "build.json").unlink()
    warehouse = copy.data / "warehouse" / f"{LOCAL_ORGANIZATION}.duckdb"
    warehouse.unlink()
    warehouse.mkdir()
    done = copy.run("analyze", house.path)
    assert done.returncode == 1
    assert "Failed: warehouse" in done.stdout
    assert copy.pointer() == before
    warehouse.rmdir()
    assert copy.run("analyze", house.path).returncode == 0
    assert copy.pointer() != before


def test_killed_anywhere_a_run_is_finished_by_the_next_one_with_the_same_result(
    offline_run: subprocess.CompletedProcess[str], eas: Eas, fresh_eas: Eas, house: GitRepository
) -> None:
    landed = [
        killed_when(fresh_eas, house, pattern)
        for pattern in (
            f"raw/_state/git/{LOCAL_ORGANIZATION}/*.json",
            f"warehouse/{LOCAL_ORGANIZATION}.duckdb.wal",
            f"published/{LOCAL_ORGANIZATION}/*.writing",
        )
    ]
    assert sum(landed) >= 2, "too few of the kills hit a running process to say anything"
    final = fresh_eas.run("analyze", house.path)
    assert final.returncode == 0, final.stdout
    assert fresh_eas.everything() == eas.everything()
    leftovers = [*fresh_eas.data.rglob("*.partial"), *fresh_eas.data.rglob("*.writing*")]
    assert leftovers == []


def killed_when(eas: Eas, house: GitRepository, pattern: str) -> bool:
    """Kills a run with all its children as soon as a file appears; whether it was still running."""
    process = eas.start("analyze", house.path)
    deadline = time.monotonic() + 120
    while process.poll() is None and not list(eas.data.glob(pattern)) and time.monotonic() < deadline:
        time.sleep(0.005)
    was_running = process.poll() is None
    if was_running:
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    return was_running
