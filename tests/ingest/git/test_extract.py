"""Facts of whole repositories agree with Git, and a run reports its work."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

from ingest.errors import NoDefaultBranch, Permanent, ShrinkRefused, SourceBusy
from ingest.git import run as run_module
from ingest.git.extract import Progress
from ingest.lake import Lake
from ingest.schemas import git as schemas
from tests.benchmarks.reading.oracles import (
    Agreement,
    delivery_agreement,
    merge_agreement,
    numstat_agreement,
    reachability_agreement,
)
from tests.git_repository import HOUR, START, Content, GitRepository
from tests.ingest.git.engines import ENGINES, run_with_one
from tests.ingest.git.extraction import Extraction, current, differences
from tests.ingest.git.growing_history import GrowingHistory
from tests.project_history import clone_last

pytestmark = pytest.mark.usefixtures("fast_lake")

RENAMES_APART = 0.98
"""Git and libgit2 measure similarity differently, and random edits of small files often come close to the threshold."""


def assert_equal(*agreements: Agreement) -> None:
    for found in agreements:
        assert found.equal == found.total > 0, (found.name, found.differences)


@pytest.fixture(scope="module", params=range(4))
def extracted(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Extraction:
    """A lake that holds a grown history."""
    folder = tmp_path_factory.mktemp("history")
    history = GrowingHistory(GitRepository(folder / "repository"), 100 + request.param)
    for _ in range(60):
        history.step()
    extraction = Extraction(folder / "repository", folder / "raw")
    extraction.run()
    return extraction


class TestAgainstGit:
    def test_counts_are_those_of_git_log_numstat(self, extracted: Extraction) -> None:
        found = numstat_agreement(extracted.facts, extracted.git)
        assert found.total > 50
        assert found.share >= RENAMES_APART, found.differences

    def test_files_of_merges_are_those_of_git_log_combined(self, extracted: Extraction) -> None:
        assert_equal(merge_agreement(extracted.facts, extracted.git))

    def test_reachability_and_deliveries_are_those_of_git_rev_list(self, extracted: Extraction) -> None:
        assert_equal(
            reachability_agreement(extracted.facts, extracted.git),
            delivery_agreement(extracted.facts, extracted.git),
        )

    def test_commits_agree_with_git_log(self, extracted: Extraction) -> None:
        form = "%H%x00%T%x00%P%x00%an%x00%ae%x00%at%x00%cn%x00%ce%x00%ct%x00%s"
        listing = extracted.git.output("log", "-z", "--all", f"--format={form}").decode().split("\0")[:-1]
        expected = {tuple(listing[i : i + 10]) for i in range(0, len(listing), 10)}
        actual = {
            (
                *(row["commit_sha"], row["tree_sha"], " ".join(row["parent_shas"])),
                *(row["author_name"], row["author_email"], str(int(row["authored_at"].timestamp()))),
                *(row["committer_name"], row["committer_email"], str(int(row["committed_at"].timestamp()))),
                row["subject"],
            )
            for row in extracted.rows("commits", is_time_clamped=False)
        }
        assert actual <= expected
        clamped = {row["commit_sha"] for row in extracted.rows("commits", is_time_clamped=True)}
        assert {row[0] for row in expected} == {row[0] for row in actual} | clamped

    def test_counts_of_a_commit_are_the_sums_over_its_files(self, extracted: Extraction) -> None:
        sums: dict[str, Counter[str]] = defaultdict(Counter)
        for row in extracted.rows("file_changes"):
            sums[row["commit_sha"]].update(
                files_changed=1, lines_added=row["lines_added"], lines_deleted=row["lines_deleted"]
            )
            kinds = ("code", "comment", "blank")
            assert row["lines_added"] == sum(row[f"{kind}_added"] for kind in kinds)
            assert row["lines_deleted"] == sum(row[f"{kind}_deleted"] for kind in kinds)
            assert row["lines_added"] == sum(hunk["new_lines"] for hunk in row["hunks"])
            assert row["lines_deleted"] == sum(hunk["old_lines"] for hunk in row["hunks"])
        for row in extracted.rows("commits"):
            assert {name: row[name] for name in sums[row["commit_sha"]]} == sums[row["commit_sha"]]

    def test_refs_are_those_of_git_for_each_ref(self, extracted: Extraction) -> None:
        expected = {(ref.name, ref.kind, ref.commit) for ref in extracted.git.refs}
        assert {(r["name"], r["kind"], r["head_sha"]) for r in extracted.rows("refs")} == expected
        assert [r["name"] for r in extracted.rows("refs", is_default=True)] == ["refs/heads/main"]

    def test_every_delivered_line_is_one_of_gits_difference_to_the_predecessor(
        self, extracted: Extraction
    ) -> None:
        delivered: Counter[tuple[str, str]] = Counter()
        died: Counter[tuple[str, str]] = Counter()
        for row in extracted.rows("delivered_lines"):
            delivered[row["delivery_sha"], row["path"]] += sum(entry["lines"] for entry in row["lines"])
        for row in extracted.rows("line_deaths"):
            died[row["delivery_sha"], row["path"]] += sum(entry["lines"] for entry in row["lines"])
        found = 0
        for step in extracted.rows("deliveries"):
            sha, predecessor = step["delivery_sha"], step["predecessor_sha"] or EMPTY_TREE
            options = ("-z", "--no-renames", predecessor, sha)
            statuses = extracted.git.output("diff", "--name-status", *options).decode().split("\0")[::2]
            if {"A", "D"} <= set(statuses):
                continue  # files may have been renamed, and Git does not search for renames here
            listing = extracted.git.output("diff", "--numstat", *options).decode()
            changes = [item.split("\t") for item in listing.split("\0") if item]
            for added, deleted, path in changes:
                if added != "-":
                    found += 1
                    assert (delivered[sha, path], died[sha, path]) == (int(added), int(deleted)), (sha, path)
        assert found > 30

    def test_an_unchanged_repository_is_not_read_again(self, extracted: Extraction) -> None:
        before = current(extracted.all_rows())
        report = extracted.run()
        assert (report.unchanged, report.commits_new) == (True, 0)
        assert report.commits_total == len(extracted.git.reachable(extracted.git.heads))
        assert current(extracted.all_rows()) == before


EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def test_the_projects_own_history_agrees_with_git(tmp_path: Path) -> None:
    """Of this long history only the engine that users have is asked: test_content_identity.py compares both on it."""
    extraction = Extraction(clone_last(tmp_path / "own", 150), tmp_path / "raw")
    run_with_one(extraction)
    found = numstat_agreement(extraction.facts, extraction.git)
    assert found.share >= 0.995, found.differences
    assert_equal(
        merge_agreement(extraction.facts, extraction.git)
        if any(extraction.column("commits", "is_merge"))
        else found,
        reachability_agreement(extraction.facts, extraction.git),
        delivery_agreement(extraction.facts, extraction.git),
    )


class TestReport:
    def test_a_run_reports_its_work(self, repository: GitRepository, extraction: Extraction) -> None:
        repository.commit({"a.py": "a = 1\n"})
        repository.branch("work")
        repository.commit({"b.py": "b = 1\n"}, branch="work")
        told: list[Progress] = []
        report = extraction.run(on_progress=told.append)
        assert (report.commits_new, report.commits_total, report.deliveries_new) == (2, 2, 1)
        assert (report.head, report.unchanged, report.skipped_objects) == (repository.heads["main"], False, 0)
        assert set(report.seconds) == {"history", "replay", "changes and lines", "writing"}
        assert told[-1] == Progress("commits", 2, 2)
        head = repository.commit({"a.py": "a = 2\n"})
        report = extraction.run()
        assert (report.commits_new, report.commits_total, report.deliveries_new) == (1, 3, 1)
        assert report.head == head

    def test_the_state_of_the_repository_is_one_row(
        self, repository: GitRepository, extraction: Extraction
    ) -> None:
        repository.commit({"a.py": "a = 1\n"}, at=4_294_967_295)
        extraction.run()
        (row,) = extraction.rows("repository_runs")
        assert row["head_sha"] == repository.heads["main"]
        assert (row["commit_count"], row["clamped_times"], row["skipped_objects"]) == (1, 1, 0)
        assert (row["is_shallow"], row["is_partial"]) == (False, False)

    def test_a_new_name_alone_is_taken_over(self, tmp_path: Path, repository: GitRepository) -> None:
        repository.commit({"a.py": "a = 1\n"})
        Extraction(repository.path, tmp_path / "raw").run()
        renamed = Extraction(repository.path, tmp_path / "raw", {"name": "new"})
        report = renamed.run()
        assert (report.unchanged, report.commits_new) == (False, 0)
        assert renamed.column("repository_runs", "name") == ["new"]

    def test_another_remote_url_may_redirect_the_mainline_so_all_facts_are_extracted_again(
        self, tmp_path: Path, repository: GitRepository
    ) -> None:
        repository.commit({"a.py": "a = 1\n"})
        repository.branch("work")
        repository.commit({"b.py": "b = 1\n"}, branch="work")
        direct = repository.commit({"a.py": "a = 2\n"})
        message = "Merge branch 'main' of https://example.org/upstream/project into work"
        merge = repository.merge("main", into="work", message=message)
        repository.reset("main", "work")
        raw = tmp_path / "raw"
        fork = Extraction(repository.path, raw, {"origin": "example.org/fork/other"})
        fork.run()
        assert direct not in fork.column("deliveries", "delivery_sha")
        own = Extraction(repository.path, raw, {"origin": "example.org/upstream/project"})
        assert own.run().commits_new == 4
        (row,) = own.rows("deliveries", delivery_sha=merge)
        assert row["predecessor_sha"] == direct


class TestRefusals:
    def test_a_repository_that_lost_most_of_its_commits_is_not_taken_over(
        self, repository: GitRepository, extraction: Extraction
    ) -> None:
        first = repository.commit({"a.py": "0\n"})
        for number in range(9):
            last = repository.commit({"a.py": f"{number}\n"})
        extraction.run()
        before = current(extraction.all_rows())
        repository.reset("main", first)
        with pytest.raises(
            ShrinkRefused, match=r"repository: the number of reachable commits fell from 10 to 1.*remove"
        ):
            extraction.run()
        assert current(extraction.all_rows()) == before
        repository.reset("main", last)
        assert extraction.run().unchanged

    def test_losing_the_default_branch_deletes_nothing(
        self, repository: GitRepository, extraction: Extraction
    ) -> None:
        repository.commit({"a.py": "0\n"})
        repository.branch("one")
        repository.branch("two")
        extraction.run()
        before = extraction.all_rows()
        described = Extraction(repository.path, extraction.raw, {"default_branch": "main"})
        repository.git("symbolic-ref", "HEAD", "refs/heads/nowhere")
        repository.delete("main")
        with pytest.raises(NoDefaultBranch, match=str(repository.path)):
            described.run()
        assert extraction.all_rows() == before

    def test_two_runs_of_one_repository_do_not_mix(
        self, repository: GitRepository, extraction: Extraction
    ) -> None:
        repository.commit({"a.py": "0\n"})
        with Lake(extraction.raw).source("git", *extraction.ids).extracting(), pytest.raises(SourceBusy):
            extraction.run()
        assert extraction.run().commits_new == 1

    def test_a_commit_that_cannot_be_read_is_named_and_other_repositories_go_on(
        self, tmp_path: Path, repository: GitRepository, extraction: Extraction
    ) -> None:
        first = repository.commit({"a.py": "0\n"})
        repository.commit({"a.py": "1\n"})
        extraction.run()
        before = extraction.all_rows()
        repository.commit({"a.py": "2\n"})
        loose = repository.git_dir / "objects" / first[:2] / first[2:]
        content = loose.read_bytes()
        for damage in (b"", content[:10], b"x" * 50, None):
            loose.unlink()
            if damage is not None:
                loose.write_bytes(damage)
            with pytest.raises(Permanent, match=rf"(?s){repository.git_dir}.*{first}.*(fsck|fetch)"):
                extraction.run()
            assert extraction.all_rows() == before
            loose.write_bytes(content)
        healthy = GitRepository(tmp_path / "healthy")
        healthy.commit({"a.py": "0\n"})
        assert Extraction(healthy.path, tmp_path / "raw", {"repository_id": "healthy"}).run().commits_new == 1
        assert extraction.run().commits_new == 1


def test_batches_keep_memory_in_bounds_also_within_a_delivery_and_off_the_mainline(
    repository: GitRepository, extraction: Extraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit({"a.py": "a = 1\n"})
    for branch in ("merged", "left"):
        repository.branch(branch)
        for number in range(12):
            repository.commit({f"{branch}.py": f"x = {number}\n"}, branch=branch)
    repository.merge("merged")
    monkeypatch.setattr(run_module, "BATCH_COMMITS", 5)
    largest: list[int] = []
    original = run_module.Run._write

    def write(self: run_module.Run, *arguments: Any) -> None:
        largest.append(self._rows.batch.commits)
        original(self, *arguments)

    monkeypatch.setattr(run_module.Run, "_write", write)
    extraction.run()
    assert max(largest) <= 6
    assert len(largest) >= 5 * len(ENGINES)
    whole = Extraction(repository.path, extraction.raw.parent / "whole")
    monkeypatch.setattr(run_module, "BATCH_COMMITS", 1000)
    whole.run()
    assert not differences(current(whole.all_rows()), current(extraction.all_rows()))


def test_every_change_carries_the_facts_of_its_file(
    repository: GitRepository, extraction: Extraction
) -> None:
    text = "".join(f"line {i} of a text that stays\n" for i in range(30))
    repository.commit({"a.py": text, "run.sh": "echo\n", "link": "x\n", "data.bin": b"\0\1"})
    repository.rename({"a.py": "b.py"})
    repository.commit(
        {"run.sh": Content("echo\n", b"100755"), "link": Content("run.sh", b"120000"), "data.bin": None}
    )
    repository.commit({"c.py": text.replace("line 7", "LINE SEVEN"), "b.py": None})
    extraction.run()
    found = {
        (row["path"], row["status"]): (row["previous_path"], row["similarity"], row["lines_after"])
        for row in extraction.rows("file_changes")
    }
    assert found["b.py", "R"] == ("a.py", 100, 30)
    assert found["c.py", "R"][0] == "b.py"
    assert 90 <= found["c.py", "R"][1] < 100
    assert found["run.sh", "M"] == (None, None, 1)
    assert found["link", "T"] == (None, None, 1)
    assert found["data.bin", "D"] == (None, None, None)


def test_positions_and_times_follow_the_mainline(repository: GitRepository, extraction: Extraction) -> None:
    first = repository.commit({"a.py": "0\n"})
    back = repository.commit({"a.py": "1\n"}, at=START - 10 * HOUR)
    last = repository.commit({"a.py": "2\n"}, at=START + 50 * HOUR)
    extraction.run()
    rows = {row["delivery_sha"]: row for row in extraction.rows("deliveries")}
    assert [rows[sha]["position"] for sha in (first, back, last)] == [0, 1, 2]
    times = [int(rows[sha]["delivered_at"].timestamp()) for sha in (first, back, last)]
    assert times == [START, START, START + 50 * HOUR]


# A sound repository has no problems, and one author no shared squash.
WITHOUT_ROWS = {"problems", "squash_lines"}


def test_every_row_has_its_ids_and_the_version_of_the_extractor(
    repository: GitRepository, extraction: Extraction
) -> None:
    repository.commit(
        {"a.py": "a = 1  # ABC-1\nb = 2\n", "b.png": b"\0", ".mailmap": "<a@x> <b@x>\n"},
        "Add\n\nRefs: ABC-2\n",
    )
    repository.commit({"a.py": "a = 1  # ABC-1\nb = 3\n"}, "Fix b")
    repository.commit({"a.py": None})
    extraction.run()
    for name, rows in extraction.all_rows().items():
        assert rows or name in WITHOUT_ROWS, name
        for row in rows:
            assert (row["organization_id"], row["repository_id"]) == extraction.ids
            assert row["extractor_version"]
            assert row.keys() == set(schemas.TABLES[name].names)


def test_author_and_committer_have_time_zones_of_their_own(
    repository: GitRepository, extraction: Extraction
) -> None:
    repository.commit({"a.py": "a\n"}, offset="+0545", committer_offset="-0730")
    extraction.run()
    (row,) = extraction.rows("commits")
    assert (row["author_offset_minutes"], row["committer_offset_minutes"]) == (345, -450)
