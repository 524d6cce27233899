"""Every bad input becomes a fact, a row of problems, or an error that names repository and object."""

from __future__ import annotations

import os
import shutil
import subprocess
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from ingest.errors import EmptyRepository, NoDefaultBranch, NotARepository, Permanent, UnsupportedTarget
from ingest.git.diff import texts
from ingest.git.repository_source import resolve
from ingest.lake import files as lake_files
from ingest.settings import Settings
from tests.benchmarks.reading.oracles import (
    delivery_agreement,
    merge_agreement,
    numstat_agreement,
    reachability_agreement,
)
from tests.git_repository import ADA, SUBMODULE, SYMLINK, Content, GitRepository
from tests.ingest.git.extraction import ORGANIZATION, Extraction, current, differences, source_of

DAMAGES = {
    "missing": None,
    "empty": b"",
    "noise": b"no zlib at all",
    "another content": zlib.compress(b"blob 2\0x\n"),
    "a wrong size": zlib.compress(b"blob 999\0x\n"),
}
CONTENTS = {
    "empty": b"",
    "one newline": b"\n",
    "no newline at the end": b"a\nb",
    "windows": b"a\r\nb\r\n",
    "old mac": b"a\rb\rc",
    "nul early": b"a\0b\n",
    "nul after 8000 bytes": b"x" * 50 + b"\n" * 8000 + b"\0\n",
    "control characters": b"\x1b[31mred\x1b[0m\n" * 40,
    "mostly control characters": bytes(range(1, 32)) * 30 + b"\n",
    "bytes of latin-1": "größe\n".encode("latin-1") * 5,
    "utf-16": "text\n".encode("utf-16"),
    "utf-16 big without mark": "text\n".encode("utf-16-be"),
    "mark of utf-8": b"\xef\xbb\xbfx = 1\n",
    "form feed and separators": "a\x0cb\u2028c\x1ed\x85e\n".encode(),
    "a long line": b"x" * 300_000 + b"\n",
    "like a patch": b"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n",
}
MALFORMED_LINES: dict[str, bytes | None] = {
    "no line": None,
    "nothing": b"",
    "no brackets": b"Ada 1704099600 +0000",
    "an open bracket": b"Ada <ada@x 1704099600 +0000",
    "no time": b"Ada <ada@x>",
    "a word for a time": b"Ada <ada@x> tomorrow +0000",
    "a negative time": b"Ada <ada@x> -5 +0000",
    "a time that does not fit": b"Ada <ada@x> 99999999999999999999999 +0000",
    "the largest time": b"Ada <ada@x> 9223372036854775807 +0000",
    "no offset": b"Ada <ada@x> 1704099600",
    "a named zone": b"Ada <ada@x> 1704099600 UTC",
    "a NUL in the name": b"A\0da <ada@x> 1704099600 +0000",
    "a NUL before the time": b"Ada <ada@x>\0 1704099600 +0000",
    "latin-1 without a time": b"J\xf6rg <j\xf6@x>",
}


def write_malformed(
    repository: GitRepository,
    which: str,
    line: bytes | None,
    other: bytes | None = ADA.encode() + b" 1704103200 +0000",
) -> str:
    """A commit on the default branch whose line of `which` is malformed, and whose tree is its parent's."""
    parent = repository.heads["main"]
    lines = {"author": other, "committer": other} | {which: line}
    people = [f"{name} ".encode() + value for name, value in lines.items() if value is not None]
    tree = repository.git("rev-parse", f"{parent}^{{tree}}").strip()
    head = [f"tree {tree}".encode(), f"parent {parent}".encode(), *people]
    sha = repository._write(b"commit", b"\n".join(head) + b"\n\nMalformed\n")
    repository.commits[sha] = replace(repository.commits[parent], parents=(parent,))
    repository.reset("main", sha)
    return sha


@pytest.fixture(autouse=True)
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("_fsync", "_fsync_folder"):
        monkeypatch.setattr(lake_files, name, lambda _: None)


@pytest.fixture
def extraction(tmp_path: Path, repository: GitRepository) -> Extraction:
    return Extraction(repository.path, tmp_path / "raw")


def assert_as_git(extraction: Extraction, *, has_merges: bool = False) -> None:
    checks = [numstat_agreement, reachability_agreement, delivery_agreement]
    for check in [*checks, *([merge_agreement] if has_merges else [])]:
        found = check(extraction.facts, extraction.git)
        assert found.equal == found.total, (found.name, found.differences)


def git(path: Path, *arguments: str) -> str:
    command = ["git", "-C", str(path), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def damage(repository: GitRepository, sha: str, content: bytes | None) -> bytes:
    """Replace the file of a loose object (None removes it). Returns its former content."""
    file = repository.git_dir / "objects" / sha[:2] / sha[2:]
    before = file.read_bytes()
    file.unlink()
    if content is not None:
        file.write_bytes(content)
    return before


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

    @pytest.mark.parametrize("kind", [*DAMAGES, "cut off", "cut off early"])
    @pytest.mark.parametrize("which", ["blob", "tree", "folder"])
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


class TestEntries:
    def test_submodules_links_modes_and_types(
        self, repository: GitRepository, extraction: Extraction
    ) -> None:
        other = "1234567890" * 4
        repository.commit(
            {"lib": Content(other, SUBMODULE), "a.py": "a = 1\n", "link": Content("a.py", SYMLINK)}
        )
        repository.commit({"lib": Content(other[::-1], SUBMODULE), "a.py": Content("a = 1\n", b"100755")})
        repository.commit({"link": "now = a_file\n", "a.py": Content("elsewhere", SYMLINK)})
        repository.commit({"lib": None, "lib/inside.py": "x = 1\n", "link": None})
        report = extraction.run()
        assert report.skipped_objects == 0
        rows = extraction.rows("file_changes", path="lib")
        assert {row["skipped_reason"] for row in rows} == {"submodule"}
        assert sorted((row["status"], row["lines_added"], row["lines_deleted"]) for row in rows) == [
            ("A", 1, 0),
            ("D", 0, 1),
            ("M", 1, 1),
        ]
        statuses = git(repository.path, "log", "--raw", "-M", "--format=", "-z").split("\0")
        expected = sorted((s.split()[-1], p) for s, p in zip(statuses[::2], statuses[1::2], strict=False))
        actual = sorted((row["status"], row["path"]) for row in extraction.rows("file_changes"))
        assert actual == expected
        assert_as_git(extraction)

    def test_a_pointer_of_git_lfs_counts_as_generated(
        self, repository: GitRepository, extraction: Extraction
    ) -> None:
        pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 1234\n"
        repository.commit({"model.bin": pointer.format("a" * 64), "a.py": "a = 1\n"})
        repository.commit({"model.bin": pointer.format("b" * 64)})
        extraction.run()
        assert_as_git(extraction)
        rows = extraction.rows("file_changes", path="model.bin")
        assert [row["is_generated"] for row in rows] == [True, True]
        assert not extraction.rows("file_changes", path="a.py")[0]["is_generated"]

    def test_names_of_any_bytes(self, repository: GitRepository, extraction: Extraction) -> None:
        names = [
            b"caf\xe9.txt",
            b"new\nline.py",
            b"tab\t.py",
            b'quo"te.py',
            b"\\back.py",
            "größe.py".encode(),
            b" ",
            b"\x01",
        ]
        repository.commit(dict.fromkeys(names, "x = 1\n"))
        repository.commit({**dict.fromkeys(names[:4]), b"dir/" + names[0]: "x = 1\n", names[5]: "x = 2\n"})
        extraction.run()
        assert_as_git(extraction)
        assert "caf\\xe9.txt" in extraction.column("file_changes", "path")

    @pytest.mark.parametrize("name", [b".git", b"..", b"a/b", b".", b"con\\..", b"-rf"])
    def test_names_that_git_would_refuse_are_harmless(
        self, repository: GitRepository, extraction: Extraction, name: bytes
    ) -> None:
        blob = repository._write(b"blob", b"x = 1\n")
        for text in (b"one\n", b"two\n"):
            other = repository._write(b"blob", text)
            entries = sorted([(b"100644", name, blob), (b"100644", b"z.py", other)], key=lambda e: e[1])
            tree = repository._write(
                b"tree", b"".join(b"%s %s\0%s" % (m, n, bytes.fromhex(s)) for m, n, s in entries)
            )
            parent = repository.heads.get("main")
            line = f"parent {parent}\n" if parent else ""
            person = "Ada <ada@example.org> 1704099600 +0000"
            body = f"tree {tree}\n{line}author {person}\ncommitter {person}\n\nx\n"
            repository.heads["main"] = repository._write(b"commit", body.encode())
            repository._point("refs/heads/main", repository.heads["main"])
        assert extraction.run().commits_total == 2
        assert_as_git(extraction)

    def test_modes_padded_with_zeros(self, repository: GitRepository, extraction: Extraction) -> None:
        parent = ""
        for text in (b"x = 1\n", b"x = 2\ny = 1\n"):
            blob = repository._write(b"blob", text)
            folder = repository._write(b"tree", b"100644 x.py\0" + bytes.fromhex(blob))
            tree = repository._write(b"tree", b"040000 src\0" + bytes.fromhex(folder))
            person = "Ada <ada@example.org> 1704099600 +0000"
            body = f"tree {tree}\n{parent}author {person}\ncommitter {person}\n\nx\n"
            sha = repository._write(b"commit", body.encode())
            parent = f"parent {sha}\n"
            repository._point("refs/heads/main", sha)
        assert extraction.run().skipped_objects == 0
        assert_as_git(extraction)
        assert set(extraction.column("file_changes", "path")) == {"src/x.py"}


class TestContents:
    def test_every_content_can_change_into_every_other(
        self, repository: GitRepository, extraction: Extraction
    ) -> None:
        for number, before in enumerate(CONTENTS.values()):
            files = {f"{number}-{other}.py": before for other in range(len(CONTENTS))}
            repository.commit(files)
            repository.commit({p: c for p, c in zip(files, CONTENTS.values(), strict=True) if c != before})
        repository.repack()
        extraction.run()
        assert_as_git(extraction)
        assert not extraction.rows("problems")

    def test_a_file_too_large_to_compare_is_a_fact_without_lines(
        self, repository: GitRepository, extraction: Extraction, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(texts, "MAX_BYTES", 1000)
        large = "x = 1\n" * 1000
        repository.commit({"large.py": large, "small.py": "a = 1\n"})
        repository.commit({"large.py": large + "y = 1\n"})
        repository.commit({"large.py": "z = 1\n", "small.py": "a = 2\n"})
        repository.commit({"large.py": "z = 2\n"})
        extraction.run()
        rows = extraction.rows("file_changes", path="large.py")
        assert [row["skipped_reason"] for row in rows] == ["too_large", "too_large", "too_large", None]
        assert [row["is_binary"] for row in rows] == [True, True, True, False]
        assert [(row["lines_added"], row["lines_deleted"]) for row in rows[:3]] == [(0, 0)] * 3
        assert (rows[3]["lines_added"], rows[3]["lines_deleted"]) == (1, 1)
        assert {row["reason"] for row in extraction.rows("problems")} == {"too_large"}
        assert all("bytes" in row["message"] for row in extraction.rows("problems"))
        assert extraction.run().unchanged

    def test_a_commit_of_very_many_files(self, repository: GitRepository, extraction: Extraction) -> None:
        repository.commit({f"d{i % 50}/f{i}.py": f"x = {i}\n" for i in range(3000)})
        repository.commit({f"d{i % 50}/f{i}.py": f"x = {i}\ny = 1\n" for i in range(3000)})
        repository.rename({f"d{i % 50}/f{i}.py": f"e{i % 50}/f{i}.py" for i in range(3000)})
        repository.repack()
        report = extraction.run()
        assert report.commits_total == 3
        assert len(extraction.rows("file_changes", status="R")) == 3000
        assert_as_git(extraction)


class TestCommits:
    def test_messages_and_people_of_any_bytes(
        self, repository: GitRepository, extraction: Extraction
    ) -> None:
        subject = "größe".encode("latin-1")
        repository.commit({"a": "1\n"}, b"bad \xff bytes\n\nbody \xfe\n", author=b"J\xf6rg <j@x>")
        repository.commit({"a": "2\n"}, subject, author=b"J\xf6rg <j@x>", headers=b"encoding ISO-8859-1\n")
        repository.commit({"a": "3\n"}, b"before nul\0after\n")
        repository.commit({"a": "4\n"}, b"separators \x1e \x1f \x01\n\nline\x0bbreak\n")
        repository.commit({"a": "5\n"}, b"", author=b"<>")
        repository.commit({"a": "6\n"}, b"x", author=b"No Address")
        repository.commit({"a": "7\n"}, b"x", headers=b"encoding no-such-thing\n", author=b"A <a@b> <c@d>")
        extraction.run()
        subjects = extraction.column("commits", "subject")
        assert subjects[:3] == ["bad \ufffd bytes", "größe", "before nul"]
        assert extraction.column("commits", "author_name")[:2] == ["J\ufffdrg", "Jörg"]
        form = "%H%x01%an%x01%ae%x01%at"
        listing = extraction.git.output("log", "--reverse", f"--format={form}", "--encoding=UTF-8")
        expected = [line.split("\x01") for line in listing.decode("utf-8", "replace").splitlines()]
        rows = extraction.rows("commits")
        for row, (sha, _, email, time) in zip(rows, expected, strict=True):
            assert row["commit_sha"] == sha
            if time:
                assert str(int(row["authored_at"].timestamp())) == time, (row, email)

    @pytest.mark.parametrize("which", ["author", "committer"])
    @pytest.mark.parametrize("flaw", MALFORMED_LINES)
    def test_a_malformed_line_is_read_as_git_reads_it(
        self, repository: GitRepository, extraction: Extraction, tmp_path: Path, flaw: str, which: str
    ) -> None:
        before = repository.commit({"a.py": "a = 1\n"})
        malformed = write_malformed(repository, which, MALFORMED_LINES[flaw])
        after = repository.commit({"a.py": "a = 2\n", "b.py": "b = 1\n"})
        source = resolve(str(repository.path), Settings(data_dir=tmp_path / "data"), ORGANIZATION)
        assert source.default_branch == "main"
        report = extraction.run()
        assert (report.commits_total, report.deliveries_new, report.skipped_objects) == (3, 3, 0)
        rows = {row["commit_sha"]: row for row in extraction.rows("commits")}
        assert [rows[sha]["is_malformed"] for sha in (before, malformed, after)] == [False, True, False]
        listing = extraction.git.output("log", "--reverse", "--format=%H%x01%an%x01%ae%x01%cn%x01%ce")
        names = ("commit_sha", "author_name", "author_email", "committer_name", "committer_email")
        assert [line.split("\x01") for line in listing.decode("utf-8", "replace").splitlines()] == [
            [row[name] for name in names] for row in rows.values()
        ]
        day = {str(rows[malformed][name].date()) for name in ("authored_at", "committed_at")}
        assert day == {"2024-01-01"}
        (problem,) = extraction.rows("problems")
        assert (problem["commit_sha"], problem["object_sha"], problem["reason"]) == (
            malformed, malformed, "malformed",
        )  # fmt: skip
        assert which in problem["message"]
        assert extraction.column("repository_runs", "skipped_objects") == [0]
        assert extraction.run().unchanged
        assert_as_git(extraction)

    def test_a_malformed_head_is_no_broken_branch(
        self, repository: GitRepository, extraction: Extraction, tmp_path: Path
    ) -> None:
        repository.commit({"a.py": "a = 1\n"})
        repository.git("update-ref", "refs/remotes/origin/main", repository.heads["main"])
        heads = [write_malformed(repository, "committer", line) for line in MALFORMED_LINES.values()]
        tag = b"object %s\ntype commit\ntag v1\ntagger nobody\n\nText\n" % heads[-1].encode()
        repository._point("refs/tags/v1", repository._write(b"tag", tag))
        source = resolve(str(repository.path), Settings(data_dir=tmp_path / "data"), ORGANIZATION)
        assert extraction.run().head == heads[-1]
        assert {row["name"]: row["head_sha"] for row in extraction.rows("refs")} == {
            "refs/heads/main": heads[-1],
            "refs/remotes/origin/main": repository.git("rev-parse", "origin/main").strip(),
            "refs/tags/v1": heads[-1],
        }
        assert source.name == repository.path.name

    def test_commits_without_any_readable_time_count_as_delivered_with_their_predecessor(
        self, repository: GitRepository, extraction: Extraction
    ) -> None:
        repository.commit({"a.py": "a = 1\n"})
        nobody = write_malformed(repository, "author", None, None)
        repository.commit({"a.py": "a = 2\n"})
        extraction.run()
        (row,) = extraction.rows("commits", commit_sha=nobody)
        assert (row["authored_at"].year, row["committed_at"].year, row["is_time_clamped"]) == (
            1970,
            1970,
            True,
        )
        times = extraction.column("deliveries", "delivered_at")
        assert times[0] == times[1] < times[2]
        assert {time.year for time in times} == {2024}

    def test_absurd_dates_and_offsets_are_kept_and_clamped(
        self, repository: GitRepository, extraction: Extraction
    ) -> None:
        repository.commit({"a": "1\n"}, offset="+51800")
        repository.commit({"a": "2\n"}, offset="-3407")
        repository.commit({"a": "3\n"}, at=0)
        repository.commit({"a": "4\n"}, at=4_294_967_295)
        repository.commit({"a": "5\n"}, at=-86_400)
        repository.commit({"a": "6\n"}, at=10**20, offset="+99999999")
        repository.commit({"a": "7\n"}, offset="")
        report = extraction.run()
        assert report.commits_total == 7
        rows = extraction.rows("commits")
        assert [row["author_offset_minutes"] for row in rows[:2]] == [518 * 60, -(34 * 60 + 7)]
        assert [row["is_time_clamped"] for row in rows] == [False, False, False, True, True, True, False]
        assert rows[2]["authored_at"].year == 1970
        assert rows[3]["authored_at"].year == 2100
        # Git shows a time that does not fit as 1970, and one that is negative not at all.
        assert rows[4]["authored_at"].year == rows[5]["authored_at"].year == 1970
        assert extraction.column("repository_runs", "clamped_times") == [3]
        times = extraction.column("deliveries", "delivered_at")
        assert times == sorted(times)
        assert {time.year for time in times} == {2024}
        assert_as_git(extraction)

    def test_signed_commits_and_merged_tags(self, repository: GitRepository, extraction: Extraction) -> None:
        signature = (
            b"gpgsig -----BEGIN PGP SIGNATURE-----\n \n tree of nothing\n parent abc\n -----END-----\n"
        )
        repository.commit({"a": "1\n"}, "Signed\n\nBody", headers=signature)
        repository.branch("work")
        repository.commit({"b": "1\n"}, branch="work")
        parents = [repository.commit({"a": "2\n"}), repository.heads["work"]]
        tag = b"mergetag object 123\n type commit\n tag v1\n tagger A <a@b> 1 +0000\n \n A tag\n"
        repository.commit({"b": "1\n"}, "Merge tag 'v1'", parents=parents, headers=tag)
        extraction.run()
        assert set(extraction.column("commits", "subject")) == {"Signed", "Change", "Merge tag 'v1'"}
        assert_as_git(extraction)


class TestShapesOfHistory:
    def test_octopus_criss_cross_and_unrelated_roots(
        self, repository: GitRepository, extraction: Extraction
    ) -> None:
        repository.commit({"a.py": "a = 1\n", "b.py": "b = 1\n", "c.py": "c = 1\n"})
        for name in "abc":
            repository.branch(name)
            repository.commit({f"{name}.py": f"{name} = 2\n"}, branch=name)
        repository.merge("a", "b", "c")
        one, other = repository.heads["main"], repository.commit({"d.py": "d = 1\n"}, branch="a")
        repository.merge(other)
        repository.merge(one, into="a")
        repository.commit({"a.py": "a = 3\n"}, branch="a")
        repository.merge("a")
        root = repository.commit({"other/e.py": "e = 1\n"}, branch="import", parents=[])
        merge = repository.merge("import")
        extraction.run()
        assert_as_git(extraction, has_merges=True)
        flagged = extraction.rows("deliveries", is_unrelated_root=True)
        assert [row["delivery_sha"] for row in flagged] == [merge]
        assert (flagged[0]["unrelated_shas"], flagged[0]["joining_shas"]) == ([root], [merge])

    @pytest.mark.parametrize("count", [2, 3])
    def test_a_commit_that_has_one_parent_twice(
        self, repository: GitRepository, extraction: Extraction, count: int
    ) -> None:
        first = repository.commit({"a.py": "a = 1\nb = 1\n"})
        repository.commit({"a.py": "a = 2\nb = 1\n"}, "Twice", parents=[first] * count)
        repository.commit({"a.py": "a = 2\nb = 3\n"})
        assert extraction.run().commits_total == 3
        assert sum(len(row["commit_shas"]) for row in extraction.rows("deliveries")) == 3

    def test_a_branch_of_one_empty_commit(self, repository: GitRepository, extraction: Extraction) -> None:
        repository.commit({}, "Nothing yet")
        report = extraction.run()
        assert (report.commits_total, report.deliveries_new) == (1, 1)
        assert extraction.rows("file_changes") == []
        repository.commit({"a.py": "a = 1\n"})
        extraction.run()
        assert_as_git(extraction)


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
