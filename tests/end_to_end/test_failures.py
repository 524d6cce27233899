"""Refusals of the main job, and concurrent runs."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from ingest.git.identifiers import repository_id, root_key
from ingest.settings import Settings
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
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
    done = fresh_eas.run_here("analyze", target.format(folder=folder))
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
    done = fresh_eas.run_here(*command)
    assert done.returncode in (1, 2)
    assert "Traceback" not in done.stdout
    assert "eas doctor --fix" in done.stdout


def test_a_file_in_the_place_of_the_data_directory_is_a_sentence_with_the_remedy(
    fresh_eas: Eas, repository: GitRepository
) -> None:
    repository.commit({"b.py": "other = 1\n"})
    fresh_eas.data.write_text("a file")
    done = fresh_eas.run("analyze", repository.path)
    assert (done.returncode, "Traceback" in done.stdout) == (2, False)
    assert f"EAS_DATA_DIR='{fresh_eas.data}' is a file; set it to a folder" in done.stdout


def test_a_repository_without_commits_is_refused(fresh_eas: Eas, repository: GitRepository) -> None:
    done = fresh_eas.run_here("analyze", repository.path)
    assert done.returncode == 1
    assert "no commit on any branch" in done.stdout


def test_a_shallow_clone_is_named_with_the_remedy(
    small_eas: Eas, repository: GitRepository, tmp_path: Path
) -> None:
    repository.commit({"a.py": "one = 1\n"})
    repository.commit({"a.py": "one = 1\ntwo = 2\n"})
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{repository.path}", clone], check=True)
    done = small_eas.run_here("analyze", str(clone))
    assert done.returncode == 0, done.stdout
    assert "clone is a shallow clone" in done.stdout
    assert "git fetch --unshallow" in done.stdout
    subprocess.run(["git", "-C", clone, "fetch", "-q", "--unshallow"], check=True)
    assert "is a shallow clone" not in small_eas.run_here("analyze", str(clone)).stdout


def test_a_hostile_repository_fails_alone_with_the_name_of_the_limit(
    small_eas: Eas, repository: GitRepository, new_repository: Callable[..., GitRepository]
) -> None:
    repository.commit({"b.py": "other = offset('b') + 1\n"})
    bomb = new_repository("bomb")
    point_main(bomb, write_bomb(bomb))
    done = small_eas.run_here("analyze", bomb.path, repository.path, EAS_MAX_COMMIT_PATHS="50000")
    assert done.returncode == 1
    assert "Failed: bomb: repository bomb: commit" in done.stdout
    assert "EAS_MAX_COMMIT_PATHS" in done.stdout
    assert "Traceback" not in done.stdout
    assert small_eas.rows("select count(*) from commits_by_time") == [(1,)]
    assert "EAS_MAX_COMMIT_PATHS" in small_eas.run_here("doctor").stdout


def test_two_concurrent_runs_both_succeed(small_eas: Eas, repository: GitRepository) -> None:
    repository.commit({"b.py": "other = offset('b') + 1\n"})
    processes = [small_eas.start("analyze", repository.path) for _ in range(2)]
    outputs = [process.communicate(timeout=300)[0] for process in processes]
    assert [process.returncode for process in processes] == [0, 0], outputs
    assert not any("Traceback" in output for output in outputs)
    final = small_eas.run_here("analyze", repository.path)
    assert final.returncode == 0, final.stdout
    assert small_eas.rows("select count(*) from commits_by_time") == [(1,)]


def test_a_run_waits_for_the_reading_and_the_build_of_another_process_and_says_so(
    small_eas: Eas, repository: GitRepository
) -> None:
    root = repository.commit({"b.py": "other = 1\n"})
    identifier = repository_id(LOCAL_ORGANIZATION, root_key([root]))
    lake = Deployment(Settings(data_dir=small_eas.data)).lake
    with lake.lock(f"build-{LOCAL_ORGANIZATION}", exclusive=True):
        with lake.source("git", LOCAL_ORGANIZATION, identifier).extracting():
            process = small_eas.start("analyze", repository.path)
            seen = _lines_until(process, "repository: another process reads it now; this run waits for it.")
        seen += _lines_until(process, "warehouse: another process builds it now; this run waits for it.")
    rest, _ = process.communicate(timeout=300)
    assert process.returncode == 0, rest
    assert identifier not in "".join(seen) + rest


def _lines_until(process: subprocess.Popen[str], expected: str) -> list[str]:
    lines = []
    assert process.stdout is not None
    for line in process.stdout:
        lines.append(line)
        if line.strip() == expected:
            return lines
    raise AssertionError("".join(lines))
