"""What each way to tell a work may earn, and what it earns: real extraction, real models, one build of all tellings.

Ratios are to the ETV of another telling, the honest one where nothing else is said: one commit on the default branch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from ingest.git.extract import extract_repository
from ingest.lake import Lake
from tests.dbt import invented_lake, tellings, warehouse
from tests.dbt.invented_history import ORGANIZATION_ID, Repository
from tests.dbt.stories import STORIES, Telling, Way, Work
from tests.ingest.git.extraction import source_of


@dataclass(frozen=True)
class Bar:
    """What a telling may earn, as a ratio to `beside`: in the mean of the stories, and the most in any of them."""

    way: Way
    least: float = 0.0
    most: float = 1.0
    worst: float | None = None
    beside: Way = tellings.honest

    def holds(self, ratios: Sequence[float]) -> bool:
        """Ratios, one a story."""
        return self.least <= mean(ratios) <= self.most and max(ratios) <= (self.worst or self.most)


SAME, HARDLY_MORE = (0.98, 1.02), (0.99, 1.02)
BARS = {
    # One net difference, however it came about.
    "merged": Bar(tellings.merged, *SAME),
    "merged in another order": Bar(tellings.merged_in_another_order, *SAME),
    "merged in two commits": Bar(tellings.merged_in_two_commits, *SAME),
    "squashed": Bar(tellings.squashed, *SAME),
    "rebased": Bar(tellings.rebased, *SAME),
    "merged with detours": Bar(tellings.merged_with_detours, *SAME),
    "merged after catching up": Bar(tellings.merged_after_catching_up, *SAME),
    "merged from two branches": Bar(tellings.merged_from_two_branches, *SAME),
    "merged at once": Bar(tellings.merged_at_once, *SAME),
    # Each is a delivery of its own, and ranks of shapes begin anew: one work in four goes beyond the two per cent.
    "delivered one by one": Bar(tellings.one_by_one, *SAME, worst=1.04),
    "picked to a release and back": Bar(tellings.picked_to_a_release_and_back, 0.99, 1.0),
    "labelled feat": Bar(tellings.labelled("feat"), 0.95, 1.05),
    "labelled fix": Bar(tellings.labelled("fix"), 0.95, 1.05),
    "labelled chore": Bar(tellings.labelled("chore"), 0.95, 1.05),
    # Splitting. The works are large and alike in their lines; ranks start anew with each delivery.
    "split by place": Bar(tellings.by_place, 0.98, 1.05),
    "split line by line": Bar(tellings.line_by_line, 0.9, 1.1, worst=1.2, beside=tellings.in_one_piece),
    "in many files": Bar(tellings.in_many_files, 0.9, 1.1),
    # Taking back.
    "reverted": Bar(tellings.reverted, 0, 0.02, worst=0.02),
    "removed": Bar(tellings.removed, 0, 0.02, worst=0.02),
    "taken out and put back": Bar(tellings.taken_out_and_put_back, 0, 0.02, worst=0.02),
    "written again": Bar(tellings.written_again, 0.95, 1.05, worst=1.1),
    "mended next day": Bar(tellings.mended_next_day, 0.95, 1.05),
    "rewritten cosmetically": Bar(tellings.rewritten_cosmetically, 0.6, 1.05),
    # Touching old code without changing it.
    "reindented": Bar(tellings.reindented, *HARDLY_MORE, beside=tellings.written),
    "tabbed": Bar(tellings.tabbed, *HARDLY_MORE, beside=tellings.written),
    "reflowed": Bar(tellings.reflowed, *HARDLY_MORE, beside=tellings.formatted_first),
    "requoted": Bar(tellings.requoted, *HARDLY_MORE, beside=tellings.formatted_first),
    "renamed": Bar(tellings.renamed, 0.99, 1.01, beside=tellings.written),
    "moved within a file": Bar(tellings.moved_within, 0.99, 1.01, beside=tellings.written),
    "moved between files": Bar(tellings.moved_between, 0.99, 1.01, beside=tellings.written),
    "copied": Bar(tellings.copied, 0.99, 1.02, beside=tellings.written),
    "copied with other names": Bar(tellings.copied_with_other_names, 0.99, 1.05, beside=tellings.written),
    "commented out and in": Bar(tellings.commented_out_and_in, 0.99, 1.05, beside=tellings.written),
    "renamed throughout": Bar(tellings.renamed_throughout, 0.99, 1.02, beside=tellings.in_many_large_files),
    # Padding and layout.
    "blank lines": Bar(tellings.with_blank_lines, 0.995, 1.005, beside=tellings.written),
    "comments": Bar(tellings.with_comments, 0.99, 1.05, beside=tellings.without_comments),
    "dead code": Bar(tellings.with_dead_code, 0.99, 1.15),
    "nine tenths of a long file": Bar(tellings.nine_tenths_of_it, 0.85, 0.93, worst=0.94, beside=tellings.long_file),
    "wrapped at 40": Bar(tellings.wrapped(40), 0.95, 1.05, beside=tellings.wrapped(80)),
    "wrapped at 120": Bar(tellings.wrapped(120), 0.95, 1.05, beside=tellings.wrapped(80)),
    # What nobody wrote here.
    "vendored": Bar(tellings.below("vendor/lib/"), 0, 0),
    "node modules": Bar(tellings.below("node_modules/lib/"), 0, 0),
    "generated": Bar(tellings.generated, 0, 0),
    "locked": Bar(tellings.locked, 0, 0),
}  # fmt: skip


Earned = Mapping[tuple[Way, int], float]
"""ETV of every telling of every story."""


@dataclass(frozen=True)
class Told:
    """The raw facts of all tellings as one organization; the commits of `start` belong to none of them."""

    raw: Path
    repository_ids: Mapping[tuple[Way, int], str]
    start: frozenset[str]

    def earned(self, built: Path) -> Earned:
        """From a warehouse that was built of these facts."""
        totals = dict.fromkeys(self.repository_ids.values(), 0)
        for row in warehouse.rows(built, "select repository_id, commit_sha, etv_micro from fct_commit_files"):
            totals[row["repository_id"]] += 0 if row["commit_sha"] in self.start else row["etv_micro"]
        return {key: totals[repository] / 1e6 for key, repository in self.repository_ids.items()}


def told(folder: Path) -> Told:
    """Tells every story in every way and extracts the repositories."""
    ways = list(dict.fromkeys(way for bar in BARS.values() for way in (bar.way, bar.beside)))
    every = {(way, story): Telling(Work.of_story(story), n * len(STORIES) + story, folder / f"{n}-{story}")
             for n, way in enumerate(ways) for story in range(len(STORIES))}  # fmt: skip
    repositories = {key: Repository(f"acme/{telling.number}") for key, telling in every.items()}
    invented_lake.write(folder / "raw", repositories.values())
    for key, telling in every.items():
        way, _ = key
        way(telling)
        names = {"organization_id": ORGANIZATION_ID, "repository_id": repositories[key].id}
        extract_repository(source_of(telling.path, **names), Lake(folder / "raw"), workers=1)
    start = frozenset(sha for telling in every.values() for sha in telling.start)
    return Told(folder / "raw", {key: repository.id for key, repository in repositories.items()}, start)


def ratios(earned: Earned, bar: Bar) -> list[float]:
    """What the telling earned beside the other, story by story."""
    return [earned[bar.way, story] / earned[bar.beside, story] for story in range(len(STORIES))]
