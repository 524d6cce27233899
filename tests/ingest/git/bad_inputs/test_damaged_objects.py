"""A damaged object is a row of problems or an error that names it; everything else goes on."""

from __future__ import annotations

import shutil
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from ingest.errors import NotARepository, Permanent
from tests.git_repository import GitRepository
from tests.ingest.git.bad_inputs.checks import assert_as_git, damage, git
from tests.ingest.git.extraction import Extraction, source_of
from tests.suite.tiers import pairs

DAMAGES = {
    "missing": None,
    "empty": b"",
    "noise": b"no zlib at all",
    "another content": zlib.compress(b"blob 2\0x\n"),
    "a wrong size": zlib.compress(b"blob 999\0x\n"),
}


class TestDamagedObjects:
    @pytest.fixture
    def shas(self, repository: GitRepository) -> dict[str, str]:
        """Ids by kind of object, in a history that continues after each of them."""
        repository.commit({"a.py": "a = 1\nb = 1\n", "src/deep/c.py": "c = 1\n"})
        repository.branch("work")
        middle = repository.commit({"a.py": "a = 2\nb = 1\n", "src/deep/c.py": "c = 2\n"})
        repository.commit({"a.py": "a = 2\nb = 2\n"})
        repository.commit({"src/deep/d.py": "d = 1\n"}, branch="work")
        repository.merge("work")
        last = repository.commit({"a.py": "a = 2\nb = 2\nc = 3\n"})
        return {
            "blob": git(repository.path, "rev-parse", f"{middle}:a.py").strip(),
            "tree": git(repository.path, "rev-parse", f"{middle}^{{tree}}").strip(),
            "folder": git(repository.path, "rev-parse", f"{middle}:src/deep").strip(),
            "middle": middle,
            "last": last,
        }

    @pytest.mark.parametrize(
        ("kind", "which"),
        pairs(
            {kind: kind for kind in (*DAMAGES, "cut off", "cut off early")},
            {which: which for which in ("blob", "tree", "folder")},
        ),
    )
    def test_a_damaged_blob_or_tree_is_named_and_everything_else_goes_on(
        self, repository: GitRepository, extraction: Extraction, shas: dict[str, str], which: str, kind: str
    ) -> None:
        file = repository.git_dir / "objects" / shas[which][:2] / shas[which][2:]
        whole = file.read_bytes()
        cuts = {"cut off": whole[:-3], "cut off early": whole[:6]}
        content = damage(repository, shas[which], cuts.get(kind, DAMAGES.get(kind)))
        report = extraction.run()
        assert (report.commits_total, report.head) == (6, shas["last"])
        problems = extraction.rows("problems")
        assert problems
        assert {row["object_sha"] for row in problems} == {shas[which]}
        expected = "object_missing" if kind == "missing" else "object_corrupt"
        assert {row["reason"] for row in problems} == {expected}
        assert shas["middle"] in {row["commit_sha"] for row in problems}
        assert all("fsck" in row["message"] or "fetch" in row["message"] for row in problems)
        assert extraction.run().unchanged
        # Facts of commits that do not touch the object are the same as without the damage.
        (row,) = extraction.rows("file_changes", commit_sha=shas["last"])
        assert (row["lines_added"], row["lines_deleted"]) == (1, 0)
        # After the repair the facts are complete.
        damage_free = extraction.git.git_dir / "objects" / shas[which][:2] / shas[which][2:]
        damage_free.unlink(missing_ok=True)
        damage_free.write_bytes(content)
        assert extraction.run().skipped_objects == 0
        assert_as_git(extraction, has_merges=True)

    def test_a_commit_that_names_no_tree_is_an_error_that_names_it(
        self, repository: GitRepository, extraction: Extraction
    ) -> None:
        repository.commit({"a.py": "1\n"})
        good = repository.heads["main"]
        for body in (
            b"nothing of a commit\n",
            b"tree 123\n\nx\n",
            b"tree " + b"0" * 40 + b"\nparent xyz\n\nx\n",
        ):
            sha = repository._write(b"commit", body)
            repository.reset("main", good)
            repository._point("refs/heads/main", sha)
            with pytest.raises(Permanent, match=rf"{repository.git_dir}.*{sha}|{repository.path}"):
                extraction.run()

    def test_a_broken_ref_beside_the_default_branch_is_ignored(
        self, repository: GitRepository, extraction: Extraction
    ) -> None:
        head = repository.commit({"a.py": "1\n"})
        repository._point("refs/heads/broken", "1" * 40)
        assert extraction.run().head == head
        assert extraction.column("refs", "name") == ["refs/heads/main"]


def test_other_repositories_go_on(tmp_path: Path, new_repository: Callable[..., GitRepository]) -> None:
    broken, healthy = new_repository("broken"), new_repository("healthy")
    for repository in (broken, healthy):
        sha = repository.commit({"a.py": "1\n"})
        repository.commit({"a.py": "2\n"})
    damage(broken, sha if sha in broken.commits else next(iter(broken.commits)), b"")
    raw = tmp_path / "raw"
    with pytest.raises(Permanent, match=str(broken.path)):
        Extraction(broken.path, raw, {"repository_id": "broken"}).run()
    good = Extraction(healthy.path, raw)
    assert good.run().commits_total == 2
    shutil.rmtree(healthy.path)
    with pytest.raises(NotARepository):
        source_of(healthy.path)
    assert len(good.rows("commits")) == 2
