"""Bug-introducing commits in the warehouse against plain loops over the raw rows of the invented organization."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.dbt import warehouse
from tests.dbt.invented.invented_history import Repository
from tests.dbt.invented.tracked_organization import Tracked

MILLION = 1_000_000
CLEANUP = re.compile(r"\btidy\b", re.IGNORECASE)
LIKELIHOODS = {
    0: 20_000, 100_000: 170_000, 200_000: 260_000, 300_000: 350_000, 400_000: 460_000, 500_000: 560_000,
    600_000: 610_000, 700_000: 680_000, 800_000: 750_000, 900_000: 820_000, 950_000: 860_000,
}  # fmt: skip


@dataclass
class Trace:
    """The evidence of one file of a fix for one commit."""

    removed: int = 0
    near: int = 0
    function: int = 0
    score: int = 0


@dataclass
class Naive:
    """Traces by fix, then by origin and path; dates and deliveries of the commits of the fix's repository."""

    traces: dict[str, dict[tuple[str, str], Trace]] = field(default_factory=dict)

    def of_fix(self, fix: Mapping[str, Any], repository: Repository) -> None:
        deliveries = {s: d for d in repository.rows["deliveries"] for s in d["commit_shas"]}
        subjects = {row["commit_sha"]: row["subject"] for row in repository.rows["commits"]}
        found: dict[tuple[str, str], Trace] = defaultdict(Trace)
        for row in repository.rows["line_deaths"]:
            if (
                row["remover_sha"] == fix["commit_sha"]
                and row["delivery_sha"] == fix["delivery_sha"]
                and _is_own(row)
            ):
                found[row["origin_sha"], row["path"]].removed += sum(
                    e["lines"] for e in row["lines"] if e["class"] != "layout"
                )
        for row in repository.rows["fix_context"]:
            if (
                row["commit_sha"] == fix["commit_sha"]
                and row["delivery_sha"] == fix["delivery_sha"]
                and _is_own(row)
            ):
                found[row["origin_sha"], row["path"]].near += row["near_weight_micro"]
                found[row["origin_sha"], row["path"]].function += row["function_lines"]
        relevant = {
            key: trace
            for key, trace in found.items()
            if key[0] in deliveries
            and deliveries[key[0]]["delivery_sha"] != fix["delivery_sha"]
            and trace.removed + trace.near + trace.function
        }
        totals = [
            sum(getattr(t, name) for t in relevant.values()) for name in ("removed", "near", "function")
        ]
        for (origin, _), trace in relevant.items():
            parts = zip((trace.removed, trace.near, trace.function), totals, (10, 3, 3), strict=True)
            score = sum(_rounded(part * weight * MILLION // 10, total) for part, total, weight in parts)
            trace.score = _rounded(score * 3, 10) if CLEANUP.search(subjects[origin]) else score
        self.traces[fix["commit_sha"]] = relevant

    def candidates(self, fix: str) -> dict[str, tuple[int, int]]:
        """Share and likelihood by origin."""
        scores: dict[str, int] = defaultdict(int)
        for (origin, _), trace in self.traces[fix].items():
            scores[origin] += trace.score
        total = sum(scores.values())
        shares = {origin: _rounded(score * MILLION, total) for origin, score in scores.items() if score}
        return {o: (s, LIKELIHOODS[max(low for low in LIKELIHOODS if low <= s)]) for o, s in shares.items()}


def _is_own(row: Mapping[str, Any]) -> bool:
    return not any(row[f"is_{kind}"] for kind in ("binary", "generated", "vendored", "minified"))


def _rounded(numerator: int, denominator: int) -> int:
    return (2 * numerator + denominator) // (2 * denominator) if denominator else 0


@pytest.fixture(scope="module")
def naive(aligned: Path, tracked: Tracked) -> Naive:
    by_id = {repository.id: repository for repository in tracked.repositories}
    found = Naive()
    for fix in warehouse.rows(aligned, "select * from int_bugs__fixes"):
        found.of_fix(fix, by_id[fix["repository_id"]])
    return found


def test_every_candidate_has_the_share_of_plain_loops(aligned: Path, naive: Naive) -> None:
    rows = warehouse.rows(aligned, "select * from int_bugs__candidates")
    found: dict[str, dict[str, tuple[int, int]]] = defaultdict(dict)
    for row in rows:
        found[row["commit_sha"]][row["origin_sha"]] = row["share_micro"], row["likelihood_micro"]
    expected = {fix: candidates for fix in naive.traces if (candidates := naive.candidates(fix))}
    assert found == expected
    assert sum(len(candidates) > 2 for candidates in expected.values()) > 10


def test_answers_are_the_likeliest_candidates_within_a_margin(aligned: Path, naive: Naive) -> None:
    answers: dict[str, set[str]] = defaultdict(set)
    for row in warehouse.rows(aligned, "select * from fct_bug_origins"):
        answers[row["commit_sha"]].add(row["origin_sha"])
    for fix in naive.traces:
        shares = {origin: share for origin, (share, _) in naive.candidates(fix).items()}
        likely = {origin for origin, share in shares.items() if share >= 350_000}
        assert likely <= answers[fix] <= {o for o in shares if shares[o] == max(shares.values())} | likely
        assert bool(answers[fix]) == bool(shares)


def test_every_fix_has_a_basis_or_the_reason_for_none(aligned: Path, naive: Naive) -> None:
    rows = warehouse.rows(aligned, "select * from fct_bug_fixes")
    assert {row["commit_sha"] for row in rows} == set(naive.traces)
    for row in rows:
        scored = [trace for trace in naive.traces[row["commit_sha"]].values() if trace.score]
        basis = "REMOVED_LINES" if any(t.removed for t in scored) else "SURROUNDINGS" if scored else None
        assert (row["basis"], row["no_answer_reason"]) == (basis, None if basis else "NO_EARLIER_LINES")
    assert {row["basis"] for row in rows} == {"REMOVED_LINES", "SURROUNDINGS", None}


def test_the_shares_of_files_add_up_to_the_fixes_with_an_answer(aligned: Path, naive: Naive) -> None:
    expected: dict[tuple[str, str], int] = defaultdict(int)
    fixes = {row["commit_sha"]: row for row in warehouse.rows(aligned, "select * from fct_bug_fixes")}
    for fix, traces in naive.traces.items():
        total = sum(trace.score for trace in traces.values())
        for (_, path), trace in traces.items():
            if total:
                expected[fixes[fix]["repository_id"], path] += _rounded(trace.score * MILLION, total)
    scores = warehouse.rows(aligned, "select * from int_bugs__scores")
    of_fix: dict[str, int] = defaultdict(int)
    for row in scores:
        of_fix[row["commit_sha"]] += row["score_micro"]
    found: dict[tuple[str, str], int] = defaultdict(int)
    for row in scores:
        if total := of_fix[row["commit_sha"]]:
            found[row["repository_id"], row["path"]] += _rounded(row["score_micro"] * MILLION, total)
    assert found == expected
    answered = sum(row["basis"] is not None for row in fixes.values())
    assert abs(sum(expected.values()) - answered * MILLION) < 10 * answered
