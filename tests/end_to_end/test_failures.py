"""Refusals of the main job, and concurrent runs."""

from pathlib import Path

import pytest

from tests.end_to_end.eas import Eas
from tests.git_repository import GitRepository


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


def test_a_repository_without_commits_is_refused(fresh_eas: Eas, repository: GitRepository) -> None:
    done = fresh_eas.run("analyze", repository.path)
    assert done.returncode == 1
    assert "no commit on any branch" in done.stdout


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
