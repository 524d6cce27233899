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


def test_bad_repositories_are_counted_and_the_good_one_is_reported(
    fresh_eas: Eas, new_repository: NewRepository
) -> None:
    good, corrupt = varied(new_repository("good")), new_repository("corrupt")
    for number in range(3):
        corrupt.commit({"a.py": f"value = {number} + offset('a')\n"})
    middle = corrupt.git("rev-parse", "main~1^{tree}").strip()
    loose = corrupt.git_dir / "objects" / middle[:2] / middle[2:]
    loose.write_bytes(b"not zlib")
    done = fresh_eas.run("analyze", corrupt.path, good.path, "/no/such/place")
    assert done.returncode == 1
    assert "2 failed" in done.stdout
    assert "Failed: corrupt" in done.stdout
    assert "Failed: /no/such/place" in done.stdout
    assert middle in done.stdout, "the object is named"
    assert "Ada Lovelace" in done.stdout
    assert fresh_eas.rows("select count(*) from commits_by_time") == [
        (len(good.git("rev-list", "--all").split()),)
    ]
    examined = fresh_eas.run("doctor")
    assert examined.returncode == 1
    assert "FAIL Repository corrupt" in examined.stdout


def test_two_runs_at_once_do_not_disturb_each_other(fresh_eas: Eas, new_repository: NewRepository) -> None:
    one, other = varied(new_repository("one")), new_repository("other")
    other.commit({"b.py": "other = offset('b') + 1\n"})
    processes = [
        fresh_eas.start("analyze", one.path),
        fresh_eas.start("analyze", one.path),
        fresh_eas.start("analyze", other.path),
    ]
    outputs = [process.communicate(timeout=300)[0] for process in processes]
    codes = [process.returncode for process in processes]
    for code, output in zip(codes, outputs, strict=True):
        assert "Traceback" not in output
        assert code == 0 or "Another process" in output, output
    assert 0 in codes[:2]
    final = fresh_eas.run("analyze", one.path, other.path)
    assert final.returncode == 0, final.stdout
    assert fresh_eas.rows("select count(*) from repositories") == [(2,)]


def test_a_failing_build_leaves_the_last_one_published(
    fresh_eas: Eas, repository: GitRepository, tmp_path: Path
) -> None:
    repository.commit({"a.py": "value = offset('a')\n"})
    assert fresh_eas.run("analyze", repository.path).returncode == 0
    before = fresh_eas.pointer()
    repository.commit({"a.py": "value = offset('b')\n"})
    warehouse = fresh_eas.data / "warehouse" / f"{LOCAL_ORGANIZATION}.duckdb"
    shutil.rmtree(warehouse, ignore_errors=True)
    warehouse.unlink()
    warehouse.mkdir()
    done = fresh_eas.run("analyze", repository.path)
    assert done.returncode == 1
    assert "Failed: warehouse" in done.stdout
    assert fresh_eas.pointer() == before
    warehouse.rmdir()
    assert fresh_eas.run("analyze", repository.path).returncode == 0
    assert fresh_eas.pointer() != before


def test_killed_anywhere_a_run_is_finished_by_the_next_one_with_the_same_result(
    fresh_eas: Eas, tmp_path: Path, new_repository: NewRepository
) -> None:
    house = varied(new_repository("house"))
    undisturbed = Eas(tmp_path / "undisturbed")
    assert undisturbed.run("analyze", house.path).returncode == 0
    organization = f"organization_id={LOCAL_ORGANIZATION}"
    landed = 0
    for pattern in (
        f"raw/git/commits/{organization}/repository_id=[!_]*/*",
        f"raw/_state/git/{LOCAL_ORGANIZATION}/*.json",
        f"warehouse/{LOCAL_ORGANIZATION}.duckdb.wal",
        f"published/{LOCAL_ORGANIZATION}/*.writing",
    ):
        landed += killed_when(fresh_eas, house, pattern)
    assert landed >= 2, "too few of the kills hit a running process to say anything"
    final = fresh_eas.run("analyze", house.path)
    assert final.returncode == 0, final.stdout
    assert fresh_eas.everything() == undisturbed.everything()
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


def without_network() -> tuple[str, ...]:
    """A prefix that runs a command without any network but a loopback that is down; empty where not permitted."""
    prefix = ("unshare", "--map-root-user", "--net", "--")
    try:
        works = subprocess.run([*prefix, "true"], capture_output=True).returncode == 0
    except FileNotFoundError:
        works = False
    return prefix if works else ()


def test_without_any_network_the_main_job_is_the_same(
    fresh_eas: Eas, new_repository: NewRepository, tmp_path: Path
) -> None:
    house = varied(new_repository("house"))
    prefix = without_network()
    more = {}
    if not prefix:
        (tmp_path / "sitecustomize.py").write_text(
            "import socket\n"
            "def refuse(*_, **__): raise OSError('the network is cut')\n"
            "socket.socket.connect = socket.getaddrinfo = socket.create_connection = refuse\n"
        )
        more = {"PYTHONPATH": str(tmp_path)}
    done = fresh_eas.run("analyze", house.path, prefix=prefix, **more)
    assert done.returncode == 0, done.stdout
    assert "Ada Lovelace" in done.stdout
