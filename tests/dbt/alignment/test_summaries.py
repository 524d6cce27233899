"""Facts of summaries about objectives against the published days of objectives."""

from __future__ import annotations

from collections import defaultdict
from datetime import date
from pathlib import Path
from typing import Any

from tests.dbt import warehouse
from tests.dbt.naive.naive_summaries import before, end_of, start_of

MICRO = 1_000_000
TODAY = date(2027, 3, 1)
Row = dict[str, Any]


def told(file: Path, condition: str) -> dict[tuple[str, str, date], list[Row]]:
    """The facts of quarters by scope and first day, in their order."""
    found: dict[tuple[str, str, date], list[Row]] = defaultdict(list)
    for row in warehouse.rows(
        file, f"from summary_facts where period = 'quarter' and {condition} order by position, fact_id"
    ):
        found[row["scope_kind"], row["scope_id"], row["period_start"]].append(row)
    return found


def test_objectives_have_the_value_of_their_days(aligned: Path) -> None:
    tops = {row["objective_id"]: row for row in warehouse.rows(aligned, "from objectives where depth = 0")}
    days = [
        row
        for row in warehouse.rows(aligned, "from objective_days where not is_bot")
        if row["objective_id"] in tops
    ]

    def value(kind: str, key: str, start: date, objective: str) -> int:
        return sum(
            row["etv_micro"]
            for row in days
            if row["objective_id"] == objective
            and start <= row["delivered_on"] <= end_of("quarter", start)
            and (row["repository_id"] == key if kind == "REPOSITORY" else not row["is_sandbox"])
        )

    facts = {scope: rows for scope, rows in told(aligned, "kind = 'objective'").items() if scope[0] != "TEAM"}
    valued = 0
    for (kind, key, start), rows in facts.items():
        expected = {one: value(kind, key, start, one) for one in tops}
        assert {row["subject_id"] for row in rows} >= {one for one, etv in expected.items() if etv}
        assert [row["position"] for row in rows] == list(range(1, len(rows) + 1))
        for row in rows:
            assert row["value_micro"] == expected[row["subject_id"]]
            assert row["previous_micro"] == value(kind, key, before("quarter", start), row["subject_id"])
            valued += row["value_micro"] > 0
    assert valued > 10


def test_a_quarter_has_every_objective_that_was_not_over(aligned: Path) -> None:
    start = start_of("quarter", TODAY)
    rows = warehouse.rows(aligned, "from objectives where depth = 0")
    expected = {
        row["objective_id"]
        for row in rows
        if row["status_category"] not in ("done", "canceled")
        or (row["completed_at"] and row["completed_at"].date() >= start)
    }
    for kind in ("objective", "objective_target"):
        facts = {
            key: found
            for key, found in told(aligned, f"kind = '{kind}' and scope_kind = 'ORGANIZATION'").items()
            if key[2] == start
        }
        found = {row["subject_id"]: row for rows in facts.values() for row in rows}
        dated = {row["objective_id"]: row["target_on"] for row in rows if row["target_on"]}
        if kind == "objective":
            assert found.keys() == expected
        else:
            assert {one: row["on_date"] for one, row in found.items()} == {
                one: day for one, day in dated.items() if one in expected
            }


def test_progress_of_the_running_quarter_is_that_of_the_list(aligned: Path) -> None:
    objectives = {row["objective_id"]: row for row in warehouse.rows(aligned, "from objectives")}
    facts = told(aligned, "kind = 'objective_progress' and is_draft")
    found = [row for rows in facts.values() for row in rows]
    assert found
    for row in found:
        objective = objectives[row["subject_id"]]
        assert (row["value_micro"], row["basis"]) == (
            objective["done_issue_count"] * MICRO, objective["issue_count"],
        )  # fmt: skip


def test_alignment_is_that_of_the_days(aligned: Path) -> None:
    daily = warehouse.rows(aligned, "from daily where not is_bot and not is_sandbox")
    compared = 0
    facts = told(aligned, "kind in ('alignment', 'unaligned') and scope_kind = 'ORGANIZATION'")
    for (_, _, start), rows in facts.items():
        inside = [row for row in daily if start <= row["delivered_on"] <= end_of("quarter", start)]
        etv, roadmap = (sum(row[name] for row in inside) for name in ("etv_micro", "roadmap_etv_micro"))
        by_kind = {row["kind"]: row for row in rows}
        assert by_kind["unaligned"]["value_micro"] == etv - roadmap
        assert by_kind["alignment"]["value_micro"] == (round(roadmap / etv * MICRO) if etv else None)
        compared += 0 < roadmap < etv
    assert compared


def test_unaligned_deliveries_reach_no_objective(aligned: Path) -> None:
    commits = {row["commit_id"]: row for row in warehouse.rows(aligned, "from commits_by_time")}
    facts = told(aligned, "kind = 'unaligned_delivery' and scope_kind = 'REPOSITORY'")
    assert facts
    for (_, key, start), rows in facts.items():
        expected = sorted(
            (
                (-row["etv_micro"], row["commit_id"])
                for row in commits.values()
                if row["repository_id"] == key
                and row["is_counted"]
                and row["etv_micro"] > 0
                and row["delivered_on"]
                and start <= row["delivered_on"] <= end_of("quarter", start)
                and not row["reaches_objective"]
            ),
        )
        assert [(-row["value_micro"], row["subject_id"]) for row in rows] == expected[:3]
