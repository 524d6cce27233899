"""Malformed commits and unusual histories are read as Git reads them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ingest.git.repository_source import resolve
from ingest.settings import Settings
from tests.git_repository import ADA, GitRepository
from tests.ingest.git.bad_inputs.checks import assert_as_git
from tests.ingest.git.extraction import ORGANIZATION, Extraction
from tests.suite.tiers import pairs

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

    @pytest.mark.parametrize(
        ("line", "which"), pairs(MALFORMED_LINES, {"author": "author", "committer": "committer"})
    )
    def test_a_malformed_line_is_read_as_git_reads_it(
        self,
        repository: GitRepository,
        extraction: Extraction,
        tmp_path: Path,
        line: bytes | None,
        which: str,
    ) -> None:
        before = repository.commit({"a.py": "a = 1\n"})
        malformed = write_malformed(repository, which, line)
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
