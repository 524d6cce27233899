"""Every kind of checkout, shallow and partial clones, and paths that are no repository."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ingest.errors import EmptyRepository, NoDefaultBranch, NotARepository, UnsupportedTarget
from ingest.git.repository_source import resolve
from ingest.settings import Settings
from tests.git_repository import GitRepository
from tests.ingest.git.bad_inputs.checks import assert_as_git, git
from tests.ingest.git.extraction import ORGANIZATION, Extraction, current, differences


class TestPlaces:
    def test_a_path_without_repository_gives_an_error(self, tmp_path: Path) -> None:
        for path in (tmp_path, tmp_path / "nowhere"):
            with pytest.raises(NotARepository, match=str(path)):
                resolve(str(path), Settings(data_dir=tmp_path / "data"), ORGANIZATION)

    @pytest.mark.parametrize("name", ["config", "packed-refs", "refs/heads/pipe", "objects/info/alternates"])
    def test_a_pipe_in_the_place_of_a_file_is_named_and_never_read(
        self, tmp_path: Path, repository: GitRepository, name: str
    ) -> None:
        repository.commit({"a": "1\n"})
        file = repository.git_dir / name
        file.unlink(missing_ok=True)
        file.parent.mkdir(exist_ok=True)
        os.mkfifo(file)
        with pytest.raises(NotARepository, match=f"{file}.*pipe"):
            resolve(str(repository.path), Settings(data_dir=tmp_path / "data"), ORGANIZATION)

    def test_a_pipe_in_the_place_of_a_git_folder_or_an_object_is_never_read(
        self, tmp_path: Path, repository: GitRepository
    ) -> None:
        folder = tmp_path / "folder"
        folder.mkdir()
        os.mkfifo(folder / ".git")
        with pytest.raises(NotARepository, match="pipe"):
            resolve(str(folder), Settings(data_dir=tmp_path / "data"), ORGANIZATION)
        sha = repository.commit({"a": "1\n"})
        file = repository.git_dir / "objects" / sha[:2] / sha[2:]
        file.unlink()
        os.mkfifo(file)
        with pytest.raises(NoDefaultBranch):
            resolve(str(repository.path), Settings(data_dir=tmp_path / "data"), ORGANIZATION)

    @pytest.mark.parametrize("target", ["a" * 300, "~nobody-of-this-name/x", "/" + "b/" * 3000])
    def test_a_path_that_cannot_exist_is_refused(self, tmp_path: Path, target: str) -> None:
        with pytest.raises((UnsupportedTarget, NotARepository)):
            resolve(target, Settings(data_dir=tmp_path / "data"), ORGANIZATION)

    def test_a_repository_without_commits_gives_an_error(
        self, tmp_path: Path, repository: GitRepository
    ) -> None:
        with pytest.raises(EmptyRepository, match=f"{repository.path}.*commit"):
            Extraction(repository.path, tmp_path / "raw").run()

    def test_a_repository_without_default_branch_names_the_remedy(
        self, tmp_path: Path, repository: GitRepository
    ) -> None:
        for name in ("one", "two"):
            repository.commit({"a.py": "1\n"}, branch=name)
        with pytest.raises(NoDefaultBranch, match=f"{repository.path}.*set-head"):
            Extraction(repository.path, tmp_path / "raw").run()

    def test_every_kind_of_checkout_gives_the_same_facts(
        self, tmp_path: Path, repository: GitRepository
    ) -> None:
        repository.commit({"a.py": "a = 1\n", "b.py": "b = 1\n"})
        repository.commit({"a.py": "a = 2\n"})
        repository.checkout()
        bare, borrowed, tree = tmp_path / "bare.git", tmp_path / "borrowed.git", tmp_path / "tree"
        git(tmp_path, "clone", "-q", "--bare", str(repository.path), str(bare))
        git(tmp_path, "clone", "-q", "--bare", "--shared", str(repository.path), str(borrowed))
        git(repository.path, "worktree", "add", "-q", "--detach", str(tree))
        found = []
        for number, path in enumerate((repository.path, bare, borrowed, tree)):
            extraction = Extraction(path, tmp_path / f"raw{number}")
            extraction.run()
            found.append(current(extraction.all_rows()))
        for other in found[1:]:
            assert not differences(found[0], other)

    def test_a_shallow_clone_ends_at_its_boundary(self, tmp_path: Path, repository: GitRepository) -> None:
        for number in range(5):
            last = repository.commit({"a.py": f"a = {number}\nb = 1\n"})
        clone = tmp_path / "clone"
        git(tmp_path, "clone", "-q", "--depth=2", f"file://{repository.path}", str(clone))
        extraction = Extraction(clone, tmp_path / "raw")
        report = extraction.run()
        assert (report.commits_total, report.head, report.skipped_objects) == (2, last, 0)
        assert extraction.column("repository_runs", "is_shallow") == [True]
        assert_as_git(extraction)


class TestPartialClones:
    @pytest.fixture
    def clone(self, tmp_path: Path, repository: GitRepository) -> Path:
        """A clone without the blobs of old versions, and without the remote that has them."""
        repository.git("config", "uploadpack.allowFilter", "true")
        for number in range(4):
            repository.commit({"a.py": f"a = {number}\nb = 1\n", f"new{number}.py": "x = 1\n"})
        repository.commit({"a.py": None, "b.py": "a = 3\nb = 1\nc = 1\n"})
        clone = tmp_path / "clone"
        git(tmp_path, "clone", "-q", "--filter=blob:none", f"file://{repository.path}", str(clone))
        return clone

    def test_a_missing_blob_is_one_row_and_the_rest_is_there(
        self, tmp_path: Path, clone: Path, repository: GitRepository
    ) -> None:
        extraction = Extraction(clone, tmp_path / "raw")
        report = extraction.run()
        assert report.commits_total == 5
        assert extraction.column("repository_runs", "is_partial") == [True]
        problems = extraction.rows("problems")
        assert {row["reason"] for row in problems} == {"object_missing"}
        assert report.skipped_objects == len(problems) > 0
        listing = git(clone, "rev-list", "--objects", "--all", "--missing=print").split("\n")
        missing = {line[1:] for line in listing if line.startswith("?")}
        assert {row["object_sha"] for row in problems} == missing
        assert all("fetch" in row["message"] for row in problems)
        skipped = extraction.rows("file_changes", skipped_reason="object_missing")
        assert {(row["commit_sha"], row["path"]) for row in problems} == {
            (row["commit_sha"], row["path"]) for row in skipped
        }

    def test_fetching_the_missing_objects_completes_the_facts(
        self, tmp_path: Path, clone: Path, repository: GitRepository
    ) -> None:
        extraction = Extraction(clone, tmp_path / "raw")
        extraction.run()
        assert extraction.run().unchanged
        for sha in {row["object_sha"] for row in extraction.rows("problems")}:
            git(clone, "cat-file", "blob", sha)  # fetches it
        report = extraction.run()
        assert (report.unchanged, report.skipped_objects) == (False, 0)
        assert_as_git(extraction)
        assert extraction.run().unchanged
        whole = Extraction(repository.path, tmp_path / "whole")
        whole.run()
        for table in ("file_changes", "delivered_lines", "line_deaths", "commits"):
            assert current(whole.all_rows())[table] == current(extraction.all_rows())[table]

    def test_a_commit_without_trees_is_a_problem_too(
        self, tmp_path: Path, clone: Path, repository: GitRepository
    ) -> None:
        bare = tmp_path / "treeless.git"
        git(tmp_path, "clone", "-q", "--bare", "--filter=tree:0", f"file://{repository.path}", str(bare))
        extraction = Extraction(bare, tmp_path / "raw")
        report = extraction.run()
        # One for each commit, and one for the mailmap of the last.
        assert (report.commits_total, report.skipped_objects) == (5, 6)
        trees = set(git(repository.path, "log", "--format=%T").split())
        assert {row["object_sha"] for row in extraction.rows("problems")} <= trees
