"""Figures of a snapshot made by hand, against totals computed by hand."""

from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

from orchestration.report.capex import commits_to_confirm
from tests.orchestration.report.snapshot_rows import (
    MICRO,
    MONDAY,
    ORGANIZATION,
    Insert,
    day,
    opened,
    read,
    shown,
)


def test_weeks_and_categories_are_sums_without_bots_and_other_repositories(
    busy: tuple[Path, Insert],
) -> None:
    root, insert = busy
    day(insert, MONDAY, 3.5, category="features")
    day(insert, MONDAY + timedelta(days=6), 2.0, who="d2", category="fixes", ai=1.0, commits=4)
    day(insert, MONDAY - timedelta(days=1), 8.0, who="d2")
    day(insert, MONDAY, 100.0, repository="r2")
    day(insert, MONDAY, 0.0, who="d3", is_bot=True, commits=7)
    found = read(root, ["r1"])
    before, last = found.weeks
    assert (before.name, before.etv) == ("2024-W18 (29 Apr)", 8.0)
    assert (last.name, last.etv, last.commits) == ("2024-W19 (06 May)", 5.5, 5)
    assert {name: value for name, value in last.categories.items() if value} == {
        "features": 3.5,
        "fixes": 2.0,
    }
    assert (last.ai_share, last.ai_commits) == (1.0 / 5.5, 1)
    assert [(line.name, line.etv) for line in found.developers] == [("Grace", 10.0), ("Ada", 3.5)]
    assert found.bots
    assert (found.bots.commits, found.bots.etv) == (7, 0.0)
    assert found.other_repositories == 1


def test_weeks_without_deliveries_are_shown_between_those_with_some(busy: tuple[Path, Insert]) -> None:
    root, insert = busy
    day(insert, MONDAY, 1.0)
    day(insert, MONDAY - timedelta(weeks=3), 1.0)
    assert [line.etv for line in read(root, ["r1"]).weeks] == [1.0, 0.0, 0.0, 1.0]


def test_at_most_twelve_weeks_are_shown(busy: tuple[Path, Insert]) -> None:
    root, insert = busy
    for weeks in range(40):
        day(insert, MONDAY - timedelta(weeks=weeks), 1.0)
    found = read(root, ["r1"])
    assert len(found.weeks) == 12
    assert found.weeks[-1].name.startswith("2024-W19")
    assert not found.is_dormant


def test_a_dormant_repository_shows_the_last_twelve_weeks_with_deliveries(busy: tuple[Path, Insert]) -> None:
    root, insert = busy
    for number in range(14):
        day(insert, date(2020, 1, 6) + timedelta(weeks=5 * number), float(number + 1))
    found = read(root, ["r1"])
    assert found.is_dormant
    assert [line.etv for line in found.weeks] == [float(n) for n in range(3, 15)]
    assert sum(line.etv for line in found.developers) == sum(range(3, 15))


def test_the_weeks_of_a_dormant_repository_have_deliveries_of_people(busy: tuple[Path, Insert]) -> None:
    root, insert = busy
    for number in range(4):
        on = date(2020, 1, 6) + timedelta(weeks=5 * number)
        day(insert, on, 2.0)
        day(insert, on + timedelta(weeks=1), 0.0, who="d3", is_bot=True)
    found = read(root, ["r1"])
    assert [(line.etv, line.commits) for line in found.weeks] == [(2.0, 1)] * 4


def test_bots_alone_have_weeks_if_nobody_else_delivered(busy: tuple[Path, Insert]) -> None:
    root, insert = busy
    day(insert, date(2020, 1, 6), 0.0, who="d3", is_bot=True)
    found = read(root, ["r1"])
    assert [line.commits for line in found.weeks] == [0]
    assert found.bots
    assert found.bots.commits == 1


def test_commits_of_others_are_told_beside_the_own_ones(busy: tuple[Path, Insert]) -> None:
    """A co-author has ETV without a commit: the table says of how many commits it is a share."""
    root, insert = busy
    day(insert, MONDAY, 3.0, commits=2)
    day(insert, MONDAY, 1.0, who="d2", commits=0)
    cases = {
        "shared": (MONDAY, "r1", True, "co_author"), "own": (MONDAY, "r1", True, "author"),
        "elsewhere": (MONDAY, "r2", True, "co_author"), "left out": (MONDAY, "r1", False, "co_author"),
        "old": (MONDAY - timedelta(weeks=40), "r1", True, "co_author"),
    }  # fmt: skip
    for name, (on, repository, is_counted, role) in cases.items():
        insert(
            "commits_by_time",
            commit_id=name,
            delivered_on=on,
            repository_id=repository,
            is_counted=is_counted,
        )
        insert("commit_credits", commit_id=name, developer_id="d2", role=role)
    found = read(root, ["r1"])
    taken = [(line.name, line.commits, line.shared_commits) for line in found.developers]
    assert taken == [("Ada", 2, 0), ("Grace", 0, 1)]
    assert sum(line.commits for line in found.developers) == found.repositories[0].commits
    text = shown(found)
    assert next(line for line in text.splitlines() if line.startswith(" Grace")).rstrip().endswith("0+1")
    assert "+ commits of others that name the developer as a co-author" in " ".join(text.split())


def test_a_dormant_repository_also_shows_months_with_deliveries(busy: tuple[Path, Insert]) -> None:
    root, insert = busy
    for months in (3, 6):
        day(insert, MONDAY - timedelta(days=31 * months), 1.0)
    found = read(root, ["r1"])
    assert found.is_dormant
    assert [line.etv for line in found.months] == [1.0, 1.0]


def test_the_running_week_is_marked_and_comes_last(busy: tuple[Path, Insert]) -> None:
    root, insert = busy
    day(insert, MONDAY, 1.0)
    day(insert, MONDAY + timedelta(weeks=1), 9.0)
    found = read(root, ["r1"])
    assert [(line.etv, line.is_draft) for line in found.weeks] == [(1.0, False), (9.0, True)]
    assert sum(line.etv for line in found.developers) == 1.0


def test_a_repository_that_began_this_week_shows_its_people(busy: tuple[Path, Insert]) -> None:
    root, insert = busy
    day(insert, MONDAY + timedelta(weeks=1), 9.0)
    found = read(root, ["r1"])
    assert [line.name for line in found.developers] == ["Ada"]


def performance(
    insert: Insert, kind: str, entity: str, period: str, start: date, value: float | None
) -> None:
    insert(
        "performance",
        entity_kind=kind,
        entity_id=entity,
        period=period,
        period_start=start,
        performance=value,
    )


def test_performance_of_the_organization_needs_all_repositories(busy: tuple[Path, Insert]) -> None:
    root, insert = busy
    day(insert, MONDAY, 1.0)
    day(insert, MONDAY, 1.0, repository="r2")
    performance(insert, "organization", ORGANIZATION, "week", MONDAY, 61.0)
    performance(insert, "repository", "r1", "week", MONDAY, 42.0)
    assert read(root, ["r1", "r2"]).weeks[-1].performance == 61.0
    assert read(root, ["r1"]).weeks[-1].performance == 42.0


def test_a_dash_for_performance_has_its_reason(busy: tuple[Path, Insert]) -> None:
    root, insert = busy
    day(insert, date(2024, 4, 3), 2.0)
    month = {"entity_kind": "organization", "entity_id": ORGANIZATION, "period": "month"}
    insert("performance", **month, period_start=date(2024, 4, 1), reference_developer_weeks=4.25)
    found = read(root, ["r1"])
    assert found.developer_weeks_before == 4.25
    told = " ".join(shown(found).split())
    assert (
        "no comparison yet. The year before 2024-04 has 4.2 weeks of developers, and a comparison needs 26"
        in told
    )
    told = " ".join(shown(replace(found, developer_weeks_before=300.0)).split())
    assert "A dash: no ETV, or fewer than 26 weeks of developers in the year before." in told


def test_performance_of_people_is_that_of_the_last_complete_month(busy: tuple[Path, Insert]) -> None:
    root, insert = busy
    day(insert, date(2024, 4, 29), 1.0)
    day(insert, date(2024, 4, 29), 2.0, who="d2")
    performance(insert, "developer", "d1", "month", date(2024, 4, 1), 55.0)
    performance(insert, "developer", "d1", "month", date(2024, 3, 1), 11.0)
    performance(insert, "developer", "d2", "month", date(2024, 4, 1), None)
    found = read(root, ["r1"])
    assert [(line.name, line.performance) for line in found.developers] == [("Grace", None), ("Ada", 55.0)]
    assert found.month_of_performance == date(2024, 4, 1)


def test_the_most_valuable_commits_of_the_shown_weeks_come_first(busy: tuple[Path, Insert]) -> None:
    root, insert = busy
    day(insert, MONDAY, 1.0)
    for number, (on, etv, counted) in enumerate(
        [(MONDAY, 2, True), (MONDAY, 5, True), (MONDAY, 9, False), (MONDAY - timedelta(weeks=30), 99, True)]
    ):
        insert(
            "commits_by_time",
            commit_id=f"c{number}",
            commit_sha=f"{number}" * 40,
            repository_id="r1",
            delivered_on=on,
            etv_micro=etv * MICRO,
            is_counted=counted,
            subject="s",
            explanation="e",
        )
    assert [commit.sha[0] for commit in read(root, ["r1"]).commits] == ["1", "0"]


def test_the_movement_of_a_month_is_described(busy: tuple[Path, Insert]) -> None:
    root, insert = busy
    for repository in ("r1", "r2"):
        day(insert, date(2024, 4, 10), 2.0, repository=repository)
    parts = {"changes": -1.5, "mix": 0.02, "size": 3.0, "rework": -0.5, "value": 0.0}
    insert(
        "movements",
        entity_kind="organization",
        entity_id=ORGANIZATION,
        period="month",
        period_start=date(2024, 4, 1),
        etv_micro=4 * MICRO,
        previous_etv_micro=2_980_000,
        **{f"{name}_micro": int(part * MICRO) for name, part in parts.items()},
    )
    found = read(root, ["r1", "r2"])
    assert found.movement is not None
    assert found.movement.parts == parts
    assert (
        "2024-04: 4.0 ETV, 3.0 in the month before. Parts of the difference: size of changes +3.0, "
        "number of file changes -1.5, rework -0.5."
    ) in " ".join(shown(found).split())
    assert read(root, ["r1"]).movement is None


def test_commits_with_half_of_the_variance_are_counted(published: tuple[Path, Insert]) -> None:
    """The squares 100, 81, 64 and twelve 1s add up to 257; the first two are more than half. Drafts do not count."""
    root, insert = published
    for number, hours in enumerate([10, 9, 8, *[1] * 12]):
        insert("uncertain_commits", commit_id=f"c{number}", deviation_micro=hours * MICRO)
    insert("uncertain_commits", commit_id="draft", deviation_micro=50 * MICRO, is_draft=True)
    assert commits_to_confirm(opened(root)) == 2


def test_a_report_without_uncertain_commits_has_nothing_to_confirm(published: tuple[Path, Insert]) -> None:
    assert commits_to_confirm(opened(published[0])) == 0
