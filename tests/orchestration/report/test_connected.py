"""What connections add to the report: counted and averaged here over plain rows."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median

from tests.orchestration.report.snapshot_rows import MICRO, MONDAY, Insert, day, read, shown


def test_a_report_without_facts_of_connections_has_no_word_on_them(busy: tuple[Path, Insert]) -> None:
    root, insert = busy
    day(insert, MONDAY, 4.0)
    found = read(root, ["r1"])
    assert (found.connected.pull_requests, found.connected.alignment, found.connected.objectives) == (
        [],
        None,
        [],
    )
    text = shown(found)
    for word in ("Pull requests", "Alignment", "Objectives", "AI agents", "AI tools in these weeks"):
        assert word not in text


def test_pull_requests_are_those_of_people_that_merged_in_the_weeks_and_that_are_open(
    busy: tuple[Path, Insert],
) -> None:
    root, insert = busy
    day(insert, MONDAY, 4.0)
    dice, merged, still_open = random.Random(4), [], 0
    for number in range(60):
        state, is_bot = dice.choice(["merged", "merged", "open", "closed"]), dice.random() < 0.2
        on = MONDAY + timedelta(days=dice.randrange(-10, 10))
        cycle, pickup = dice.randrange(1, 200), dice.choice([None, dice.randrange(1, 100)])
        reviewers, is_assisted = dice.randrange(2), dice.random() < 0.3
        insert(
            "pull_requests",
            pull_request_id=f"p{number}",
            repository_id="r1",
            repository_name="owner/r1",
            number=number,
            state=state,
            is_bot=is_bot,
            merged_on=on if state == "merged" else None,
            merged_at=datetime(on.year, on.month, on.day, tzinfo=UTC) if state == "merged" else None,
            reviewer_count=reviewers,
            is_ai_assisted=is_assisted,
            cycle_hours_micro=cycle * MICRO,
            pickup_hours_micro=None if pickup is None else pickup * MICRO,
        )
        if state == "merged":
            insert(
                "merged_pull_requests", repository_id="r1", is_bot=is_bot, merged_on=on, is_reviewed=reviewers > 0,
                is_ai_assisted=is_assisted, cycle_hours_micro=cycle * MICRO,
                pickup_hours_micro=None if pickup is None else pickup * MICRO,
            )  # fmt: skip
        if state == "merged" and not is_bot and MONDAY <= on < MONDAY + timedelta(days=7):
            merged.append((cycle, pickup, reviewers, is_assisted))
        still_open += state == "open" and not is_bot
    insert("pull_requests", pull_request_id="x", repository_id="r2", repository_name="owner/r2", state="open")
    [line] = read(root, ["r1"]).connected.pull_requests
    assert len(merged) > 5
    assert (line.repository, line.merged_pull_requests, line.open) == ("owner/r1", len(merged), still_open)
    assert line.reviewed_pull_requests == sum(reviewers for _, _, reviewers, _ in merged)
    assert line.ai_pull_requests == sum(assisted for *_, assisted in merged)
    assert line.cycle_hours == median(cycle for cycle, *_ in merged)
    assert line.pickup_hours == median(pickup for _, pickup, *_ in merged if pickup is not None)
    assert {one.repository for one in read(root, ["r1", "r2"]).connected.pull_requests} == {
        "owner/r1",
        "owner/r2",
    }


def test_alignment_and_objectives_are_of_the_weeks_the_repositories_and_people(
    busy: tuple[Path, Insert],
) -> None:
    root, insert = busy
    insert("issues", issue_id="i", key="WEB-1")
    for on, repository, is_bot in ((MONDAY, "r1", False), (MONDAY, "r2", False), (MONDAY, "r1", True)):
        insert(
            "daily", delivered_on=on, repository_id=repository, developer_id="d1", category="features", commits=1,
            is_bot=is_bot, etv_micro=8 * MICRO, aligned_etv_micro=6 * MICRO, roadmap_etv_micro=2 * MICRO,
        )  # fmt: skip
    insert(
        "daily",
        delivered_on=MONDAY,
        repository_id="r1",
        developer_id="d2",
        category="fixes",
        etv_micro=2 * MICRO,
    )
    insert(
        "objectives", objective_id="o", level="objective", title="Grow\x1b[2J", status="Started", issue_count=12,
        done_issue_count=4, canceled_issue_count=2, target_on=MONDAY, is_overdue=True,
    )  # fmt: skip
    insert("objectives", objective_id="s", level="sub_objective", parent_id="o", title="Below")
    for number in range(6):
        insert("objectives", objective_id=f"o{number}", level="objective", title=f"Other {number}")
        insert(
            "objective_days",
            objective_id=f"o{number}",
            delivered_on=MONDAY,
            repository_id="r1",
            etv_micro=MICRO,
        )
    for objective, repository, on, is_bot in (
        ("o", "r1", MONDAY, False),
        ("o", "r1", MONDAY, False),
        ("o", "r1", MONDAY, True),
        ("o", "r2", MONDAY, False),
        ("o", "r1", MONDAY + timedelta(days=7), False),
        ("s", "r1", MONDAY, False),
    ):
        insert(
            "objective_days", objective_id=objective, delivered_on=on, repository_id=repository, is_bot=is_bot,
            etv_micro=3 * MICRO,
        )  # fmt: skip
    found = read(root, ["r1"])
    assert found.connected.alignment is not None
    aligned = found.connected.alignment
    assert (aligned.issue_alignment, aligned.roadmap_alignment, aligned.unaligned_etv) == (0.6, 0.2, 4.0)
    assert [(one.title, one.etv) for one in found.connected.objectives[:2]] == [
        ("Grow\x1b[2J", 6.0),
        ("Other 0", 1.0),
    ]
    assert (len(found.connected.objectives), found.connected.more_objectives) == (5, 2)
    text = shown(found)
    told = "60 % of the ETV belongs to an issue, 20 % reaches an objective. 4.0 ETV belong to no issue."
    assert told in " ".join(text.split())
    assert "the first 5 of 7" in text
    [line] = [line for line in text.splitlines() if "Grow" in line]
    assert line.split() == ["Grow[2J", "6.0", "4", "of", "10", "Started", f"{MONDAY},", "overdue"]
    assert "Below" not in text


def test_ai_tools_show_what_they_cost_and_for_which_commits(busy: tuple[Path, Insert]) -> None:
    root, insert = busy
    day(insert, MONDAY, 4.0)
    dice = random.Random(8)
    people: dict[str, set[str | None]] = {}
    costs: dict[str, tuple[int, int]] = {}
    for number in range(60):
        tool, on = dice.choice(["cursor", "co\x1b[2Jdex"]), MONDAY + timedelta(days=dice.randrange(-10, 10))
        who, repository, cost = (
            dice.choice(["d1", "d2", None]),
            dice.choice(["r1", "r2", None]),
            dice.randrange(10**10),
        )
        insert("ai_usage", usage_id=f"u{number}", tool=tool, used_on=on, developer_id=who, is_active=True)
        spent = {"used_on": on, "tool": tool, "developer_id": who, "repository_id": repository}
        insert("ai_costs", **spent, cost_nano=cost, cost_currency="USD")
        # Amounts of other currencies are in no sum of dollars.
        insert("ai_costs", **spent, cost_nano=10**12, cost_currency="EUR")
        if MONDAY <= on < MONDAY + timedelta(days=7):
            people.setdefault(tool, set()).update({who} - {None})
            all_of_it, linked = costs.get(tool, (0, 0))
            costs[tool] = all_of_it + cost, linked + (cost if repository == "r1" else 0)
    insert("ai_usage", usage_id="free", tool="gemini_cli", used_on=MONDAY, developer_id="d1", is_active=True)
    found = read(root, ["r1"])
    assert {one.tool: (one.people, one.cost, one.linked) for one in found.connected.ai_tools} == {
        **{tool: (len(people[tool]), costs[tool][0] / 1e9, costs[tool][1] / 1e9) for tool in costs},
        "gemini_cli": (1, None, None),
    }
    lines = shown(found).splitlines()
    assert [line.split() for line in lines if "gemini_cli" in line] == [["gemini_cli", "1", "–", "–"]]
    [line] = [line for line in lines if line.strip().startswith("co[2Jdex")]
    cost, _ = costs["co\x1b[2Jdex"]
    assert line.split()[2] == f"{cost / 1e9:,.2f}"


def test_commits_by_accounts_of_ai_agents_are_named_with_their_rule(busy: tuple[Path, Insert]) -> None:
    root, insert = busy
    insert("developers", developer_id="d5", name="copilot-swe-agent[bot]")
    day(insert, MONDAY, 4.0)
    day(insert, MONDAY, 0.0, who="d3", is_bot=True)
    for offset in range(3):
        day(insert, MONDAY + timedelta(days=offset), 0.0, who="d5", is_bot=True, ai=1.0)
    assert (
        "3 commits are by accounts of AI agents (copilot-swe-agent[bot] 3). They count as commits of bots: without"
        " ETV, and in no AI share."
    ) in " ".join(shown(read(root, ["r1"])).split())
