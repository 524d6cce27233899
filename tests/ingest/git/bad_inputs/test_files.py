"""Names, modes and contents of files that are unusual or malformed."""

from __future__ import annotations

import pytest

from ingest.git.diff import texts
from tests.git_repository import SUBMODULE, SYMLINK, Content, GitRepository
from tests.ingest.git.bad_inputs.checks import assert_as_git, git
from tests.ingest.git.extraction import Extraction

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
