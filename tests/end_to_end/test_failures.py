"""Refusals of the main job, and concurrent runs."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.end_to_end.eas import Eas
from tests.git_repository import GitRepository
from tests.ingest.git.test_limits import point_main, write_bomb


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
def test_a_path_without_a_repository_is_refused_with_the_reason(
    fresh_eas: Eas, tmp_path: Path, target: str, reason: str
) -> None:
    folder = tmp_path / "empty-folder"
    folder.mkdir()
    done = fresh_eas.run("analyze", target.format(folder=folder))
    assert done.returncode in (1, 2)
    assert reason in done.stdout
    assert "Traceback" not in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [("analyze", "{repository}"), ("token", "create", "--name", "x"), ("doctor",), ("remove", "x")],
)
def test_a_damaged_control_database_is_a_sentence_that_names_the_remedy(
    fresh_eas: Eas, repository: GitRepository, arguments: tuple[str, ...]
) -> None:
    repository.commit({"b.py": "other = 1\n"})
    fresh_eas.data.mkdir()
    (fresh_eas.data / "control.db").write_bytes(b"no database at all" * 100)
    command = [argument.format(repository=repository.path) for argument in arguments]
    done = fresh_eas.run(*command)
    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stdout
    assert "eas doctor --fix" in done.stdout


def test_a_data_directory_that_cannot_be_written_is_a_sentence(
    fresh_eas: Eas, repository: GitRepository
) -> None:
    repository.commit({"b.py": "other = 1\n"})
    fresh_eas.data.write_text("a file")
    done = fresh_eas.run("analyze", repository.path)
    assert (done.returncode, "Traceback" in done.stdout) == (1, False)
    assert str(fresh_eas.data) in done.stdout


def test_a_repository_without_commits_is_refused(fresh_eas: Eas, repository: GitRepository) -> None:
    done = fresh_eas.run("analyze", repository.path)
    assert done.returncode == 1
    assert "no commit on any branch" in done.stdout


def test_a_shallow_clone_is_named_with_the_remedy(
    fresh_eas: Eas, repository: GitRepository, tmp_path: Path
) -> None:
    repository.commit({"a.py": "one = 1\n"})
    repository.commit({"a.py": "one = 1\ntwo = 2\n"})
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{repository.path}", clone], check=True)
    done = fresh_eas.run("analyze", str(clone))
    assert done.returncode == 0, done.stdout
    assert "clone is a shallow clone" in done.stdout
    assert "git fetch --unshallow" in done.stdout
    subprocess.run(["git", "-C", clone, "fetch", "-q", "--unshallow"], check=True)
    assert "is a shallow clone" not in fresh_eas.run("analyze", str(clone)).stdout


def test_a_hostile_repository_fails_alone_with_the_name_of_the_limit(
    fresh_eas: Eas, repository: GitRepository, new_repository: Callable[..., GitRepository]
) -> None:
    repository.commit({"b.py": "other = offset('b') + 1\n"})
    bomb = new_repository("bomb")
    point_main(bomb, write_bomb(bomb))
    done = fresh_eas.run("analyze", bomb.path, repository.path, EAS_MAX_COMMIT_PATHS="50000")
    assert done.returncode == 1
    assert "Failed: bomb: repository bomb: commit" in done.stdout
    assert "EAS_MAX_COMMIT_PATHS" in done.stdout
    assert "Traceback" not in done.stdout
    assert fresh_eas.rows("select count(*) from commits_by_time") == [(1,)]
    assert "EAS_MAX_COMMIT_PATHS" in fresh_eas.run("doctor").stdout


def test_two_concurrent_runs_both_succeed(fresh_eas: Eas, repository: GitRepository) -> None:
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
