from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ingest.errors import NotARepository, UnsupportedTarget
from ingest.git.objects.loose_objects import open_git_dir
from ingest.git.objects.repository import is_partial, open_repository, root_shas
from tests.git_repository import GitRepository

OPEN = """
import sys
from pathlib import Path
from ingest.git.objects.loose_objects import open_git_dir
from ingest.git.objects.repository import open_repository
open_repository(Path(sys.argv[1]))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_checkout_of_another_user_names_the_command_that_permits_it(
    repository: GitRepository, tmp_path: Path
) -> None:
    repository.commit({"a": "1\n"})
    for path in [repository.path, *repository.path.rglob("*")]:
        os.chown(path, 12345, 12345)
    home = tmp_path / "home"
    home.mkdir()
    surroundings = {"PATH": os.environ["PATH"], "HOME": str(home)}
    command = [sys.executable, "-c", OPEN, str(repository.path)]
    refused = subprocess.run(command, env=surroundings, capture_output=True, text=True)
    advice = f"git config --global --add safe.directory {repository.path}"
    assert f"ForeignOwner: {repository.path} belongs to another user" in refused.stderr
    assert advice in refused.stderr
    subprocess.run(advice.split(), env=surroundings, check=True)
    subprocess.run(command, env=surroundings, check=True)


@pytest.mark.parametrize("options", [["--object-format=sha256"]])
def test_an_unreadable_format_gives_an_error(tmp_path: Path, options: list[str]) -> None:
    subprocess.run(["git", "init", "-q", *options, str(tmp_path / "new")], check=True)
    with pytest.raises(UnsupportedTarget, match="format"):
        open_repository(tmp_path / "new")


def test_an_unknown_extension_gives_an_error(repository: GitRepository) -> None:
    repository.git("config", "core.repositoryFormatVersion", "1")
    repository.git("config", "extensions.refStorage", "reftable")
    with pytest.raises(UnsupportedTarget, match=str(repository.path)):
        open_repository(repository.path)


def test_a_partial_clone_of_any_age_is_recognized(repository: GitRepository) -> None:
    repository.commit({"a": "1\n"})
    assert not is_partial(open_repository(repository.path))
    repository.git("config", "core.repositoryFormatVersion", "1")
    repository.git("config", "extensions.partialClone", "origin")
    assert is_partial(open_repository(repository.path))


def test_a_broken_repository_names_itself(repository: GitRepository) -> None:
    (repository.git_dir / "HEAD").write_bytes(b"")
    (repository.git_dir / "config").write_text("[core\n")
    with pytest.raises(NotARepository, match=str(repository.path)):
        open_repository(repository.path)


def test_a_submodule_is_a_repository_of_its_own(repository: GitRepository, tmp_path: Path) -> None:
    repository.commit({"a": "1\n"})
    outer = GitRepository(tmp_path / "outer")
    outer.commit({"b": "1\n"})
    outer.checkout()
    outer.git(
        "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repository.path), "inner"
    )
    inner = open_repository(outer.path / "inner")
    assert Path(inner.path) == outer.git_dir / "modules" / "inner"
    assert Path(open_repository(outer.path).path) == outer.git_dir


def test_root_commits_are_git_s(repository: GitRepository) -> None:
    repository.commit({"a": "1\n"})
    other = repository.commit({"b": "1\n"}, branch="other", parents=[])
    head = repository.merge(other)
    repository.commit({"c": "1\n"}, branch="apart", parents=[])
    expected = repository.git("rev-list", "--max-parents=0", head).split()
    assert root_shas(open_repository(repository.path), head) == sorted(expected)
    assert len(expected) == 2


def test_a_history_with_a_missing_commit_is_an_error(repository: GitRepository) -> None:
    first = repository.commit({"a": "1\n"})
    head = repository.commit({"a": "2\n"})
    (repository.git_dir / "objects" / first[:2] / first[2:]).unlink()
    with pytest.raises(NotARepository, match="fsck"):
        root_shas(open_repository(repository.path), head)


@pytest.mark.parametrize("later", ["loose", "packed", "alternate"])
def test_a_complete_repository_is_read_wherever_its_objects_lie(
    repository: GitRepository, tmp_path: Path, later: str
) -> None:
    shas = [repository.commit({"a": "1\n"})]
    repository.repack()
    git_dir = repository.git_dir
    if later == "alternate":
        subprocess.run(["git", "clone", "-q", "--bare", "--shared", git_dir, tmp_path / "shared"], check=True)
        git_dir = tmp_path / "shared"
    else:
        shas.append(repository.commit({"a": "2\n"}))
    if later == "packed":
        repository.repack()
    odb = open_git_dir(git_dir, is_complete=True).odb
    for sha in shas:
        content = subprocess.run(
            ["git", "-C", git_dir, "cat-file", "commit", sha], capture_output=True
        ).stdout
        assert odb.read(sha)[1] == content
        assert odb.read_header(sha)[1] == len(content)
    with pytest.raises(KeyError):
        odb.read("1" * 40)


def test_a_complete_repository_without_loose_objects_is_read_from_its_packs_alone(
    repository: GitRepository,
) -> None:
    repository.commit({"a": "1\n"})
    repository.repack()
    complete, growing = (open_git_dir(repository.git_dir, is_complete=one) for one in (True, False))
    sha = repository.commit({"a": "2\n"})
    assert sha in growing
    assert sha not in complete
