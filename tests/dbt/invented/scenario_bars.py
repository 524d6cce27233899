"""The bars of each scenario, and its measured ratio: real extraction, real models, one build of all scenarios.

A ratio compares ETV with a reference scenario. The default reference is one honest commit on the default branch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from ingest.git.extract import extract_repository
from ingest.lake import Lake
from tests.dbt import warehouse
from tests.dbt.invented import invented_lake, scenarios
from tests.dbt.invented.invented_history import ORGANIZATION_ID, Repository
from tests.dbt.invented.scenario import TASKS, Scenario, Variant, Work
from tests.ingest.git.extraction import source_of


@dataclass(frozen=True)
class Bar:
    """Bounds of the ratio to `reference`, for the mean over the tasks and for each task (`max_ratio`)."""

    variant: Variant
    min_mean: float = 0.0
    max_mean: float = 1.0
    max_ratio: float | None = None
    reference: Variant = scenarios.honest

    def holds(self, ratios: Sequence[float]) -> bool:
        """Whether the ratios, one per task, are within the bounds."""
        return self.min_mean <= mean(ratios) <= self.max_mean and max(ratios) <= (
            self.max_ratio or self.max_mean
        )


SAME, HARDLY_MORE = (0.98, 1.02), (0.99, 1.02)
BARS = {
    # The same net difference on different paths.
    "merged": Bar(scenarios.merged, *SAME),
    "merged in another order": Bar(scenarios.merged_in_another_order, *SAME),
    "merged in two commits": Bar(scenarios.merged_in_two_commits, *SAME),
    "squashed": Bar(scenarios.squashed, *SAME),
    "rebased": Bar(scenarios.rebased, *SAME),
    "merged with detours": Bar(scenarios.merged_with_detours, *SAME),
    "merged after catching up": Bar(scenarios.merged_after_catching_up, *SAME),
    "merged from two branches": Bar(scenarios.merged_from_two_branches, *SAME),
    "merged at once": Bar(scenarios.merged_at_once, *SAME),
    # Each commit is a delivery with ranks of its own, so one task in four exceeds two per cent.
    "delivered one by one": Bar(scenarios.one_by_one, *SAME, max_ratio=1.04),
    "picked to a release and back": Bar(scenarios.picked_to_a_release_and_back, 0.99, 1.0),
    "labelled feat": Bar(scenarios.labelled("feat"), 0.95, 1.05),
    "labelled fix": Bar(scenarios.labelled("fix"), 0.95, 1.05),
    "labelled chore": Bar(scenarios.labelled("chore"), 0.95, 1.05),
    # Splitting. The tasks are large and their lines similar; ranks restart with each delivery.
    "split by place": Bar(scenarios.by_place, 0.98, 1.05),
    "split line by line": Bar(scenarios.line_by_line, 0.9, 1.1, max_ratio=1.2, reference=scenarios.in_one_piece),
    "in many files": Bar(scenarios.in_many_files, 0.9, 1.1),
    # Reverts and repetitions.
    "reverted": Bar(scenarios.reverted, 0, 0.02, max_ratio=0.02),
    "removed": Bar(scenarios.removed, 0, 0.02, max_ratio=0.02),
    "taken out and put back": Bar(scenarios.taken_out_and_put_back, 0, 0.02, max_ratio=0.02),
    "written again": Bar(scenarios.written_again, 0.95, 1.05, max_ratio=1.1),
    "mended next day": Bar(scenarios.mended_next_day, 0.95, 1.05),
    "rewritten cosmetically": Bar(scenarios.rewritten_cosmetically, 0.95, 1.05),
    # Cosmetic changes of old code.
    "reindented": Bar(scenarios.reindented, *HARDLY_MORE, reference=scenarios.written),
    "tabbed": Bar(scenarios.tabbed, *HARDLY_MORE, reference=scenarios.written),
    "reflowed": Bar(scenarios.reflowed, *HARDLY_MORE, reference=scenarios.formatted_first),
    "requoted": Bar(scenarios.requoted, *HARDLY_MORE, reference=scenarios.formatted_first),
    "renamed": Bar(scenarios.renamed, 0.99, 1.01, reference=scenarios.written),
    "moved within a file": Bar(scenarios.moved_within, 0.99, 1.01, reference=scenarios.written),
    "moved between files": Bar(scenarios.moved_between, 0.99, 1.01, reference=scenarios.written),
    "copied": Bar(scenarios.copied, 0.99, 1.02, reference=scenarios.written),
    "copied with other names": Bar(scenarios.copied_with_other_names, 0.99, 1.05, reference=scenarios.written),
    "commented out and in": Bar(scenarios.commented_out_and_in, 0.99, 1.05, reference=scenarios.written),
    # Files in which only names change have no bonus.
    "renamed throughout": Bar(scenarios.renamed_throughout, 0.97, 1.02, reference=scenarios.in_many_large_files),
    # Padding and layout.
    "blank lines": Bar(scenarios.with_blank_lines, 0.995, 1.005, reference=scenarios.written),
    "comments": Bar(scenarios.with_comments, 0.99, 1.05, reference=scenarios.without_comments),
    "dead code": Bar(scenarios.with_dead_code, 0.99, 1.15),
    "nine tenths of a long file": Bar(scenarios.nine_tenths_of_it, 0.85, 0.93, max_ratio=0.94,
                                      reference=scenarios.long_file),
    "wrapped at 40": Bar(scenarios.wrapped(40), 0.95, 1.05, reference=scenarios.wrapped(80)),
    "wrapped at 120": Bar(scenarios.wrapped(120), 0.95, 1.05, reference=scenarios.wrapped(80)),
    # Vendored and generated code.
    "vendored": Bar(scenarios.below("vendor/lib/"), 0, 0),
    "node modules": Bar(scenarios.below("node_modules/lib/"), 0, 0),
    "generated": Bar(scenarios.generated, 0, 0),
    "locked": Bar(scenarios.locked, 0, 0),
}  # fmt: skip


ALL = range(len(TASKS))
"""The numbers of all tasks."""
Earned = Mapping[tuple[Variant, int], float]
"""ETV by scenario and task."""


@dataclass(frozen=True)
class ScenarioFacts:
    """The raw facts of all scenarios as one organization. The commits of `start` belong to no scenario."""

    raw: Path
    repository_ids: Mapping[tuple[Variant, int], str]
    start: frozenset[str]

    def earned(self, built: Path) -> Earned:
        """Read the ETV of each scenario from a warehouse built from these facts."""
        totals = dict.fromkeys(self.repository_ids.values(), 0)
        for row in warehouse.rows(built, "select repository_id, commit_sha, etv_micro from fct_commit_files"):
            totals[row["repository_id"]] += 0 if row["commit_sha"] in self.start else row["etv_micro"]
        return {key: totals[repository] / 1e6 for key, repository in self.repository_ids.items()}


def extract(folder: Path, tasks: Sequence[int] = ALL) -> ScenarioFacts:
    """Write a repository for every variant and task, and extract all of them."""
    variants = list(
        dict.fromkeys(variant for bar in BARS.values() for variant in (bar.variant, bar.reference))
    )
    created = {(variant, task): Scenario(Work.of_task(task), n * len(TASKS) + task, folder / f"{n}-{task}")
             for n, variant in enumerate(variants) for task in tasks}  # fmt: skip
    repositories = {key: Repository(f"acme/{scenario.number}") for key, scenario in created.items()}
    invented_lake.write(folder / "raw", repositories.values())
    for key, scenario in created.items():
        variant, _ = key
        variant(scenario)
        names = {"organization_id": ORGANIZATION_ID, "repository_id": repositories[key].id}
        extract_repository(source_of(scenario.path, **names), Lake(folder / "raw"), workers=1)
    start = frozenset(sha for scenario in created.values() for sha in scenario.start)
    return ScenarioFacts(
        folder / "raw", {key: repository.id for key, repository in repositories.items()}, start
    )


def ratios(earned: Earned, bar: Bar, tasks: Sequence[int] = ALL) -> list[float]:
    """Ratios of the ETV of a scenario to that of its reference, by task."""
    return [earned[bar.variant, task] / earned[bar.reference, task] for task in tasks]
