"""Every figure of the API, compared with loops over the file changes of the build."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from api.presentation.metrics import METRICS
from tests.api.ai_usage_facts import Used, linked, total, used
from tests.api.conftest import ROOT, client_for, deploy, serving
from tests.api.published_facts import (
    CATEGORIES,
    TODAY,
    Change,
    Commit,
    Facts,
    make_facts,
    performance_of,
    weekly_etv,
)
from tests.api.published_rows import write

RANGES = [
    (date(2026, 8, 24), date(2026, 11, 15)),
    (date(2026, 9, 2), date(2026, 10, 14)),
    (date(2026, 9, 1), date(2026, 9, 30)),
    (date(2026, 11, 20), date(2026, 11, 20)),
    (date(2020, 1, 1), date(2020, 12, 31)),
]
FIRST_MONDAY = date(2026, 8, 24)


def expected(
    changes: Iterable[Change], commits: Iterable[Commit], usage: Iterable[Used] = ()
) -> dict[str, Any]:
    """Every additive metric and the AI share, by the definitions and nothing else."""
    used_rows = list(usage)
    counted = [one for one in used_rows if one.is_counted]
    cost = total(one.cost for one in counted if one.currency == "USD")
    chosen = list(changes)
    main = [commit for commit in commits if commit.changes]
    etv = sum(change.etv for change in chosen)
    ai = sum(change.etv for change in chosen if change.ai)
    return {
        "etv": etv / 1e6,
        **{f"{c}Etv": sum(change.etv for change in chosen if change.category == c) / 1e6 for c in CATEGORIES},
        "aiShareAtLeast": ai / etv if etv and (used_rows or any(change.ai for change in chosen)) else None,
        "aiCost": None if cost is None else cost / 1e6,
        "aiCostPerEtv": cost / etv if etv and cost is not None else None,
        "aiTokens": total(one.tokens + 1 for one in counted),
        "aiActiveDays": len({(one.day, one.developer) for one in used_rows}) or None,
        "aiSessions": total(1 for one in counted),
        "aiLinesSuggested": None,
        "aiLinesAccepted": total(3 for one in counted),
        "roadmapAlignment": sum(change.roadmap_etv for change in chosen) / etv if etv else None,
        "issueAlignment": sum(change.etv for change in chosen if change.is_aligned) / etv if etv else None,
        "unalignedEtv": sum(change.etv for change in chosen if not change.is_aligned) / 1e6,
        "commits": len(main),
        "aiCommits": sum(commit.ai for commit in main) if used_rows or any(c.ai for c in chosen) else None,
        "effort": sum(change.effort for change in chosen) / 1e6,
        "points": sum(change.points for change in chosen) / 1e6,
        "files": len(chosen),
        "linesAdded": sum(change.novel + change.comments for change in chosen),
        "linesDeleted": 0,
    }


def usage_of(facts: Facts, first: date, last: date, people: Collection[str]) -> list[Used]:
    """The usage of these developers in the range."""
    return [one for one in used(facts) if first <= one.day <= last and one.developer in people]


def people_of(facts: Facts) -> set[str]:
    return facts.developers.keys() - {facts.bot}


def of_linked(figures: dict[str, Any], facts: Facts, first: date, last: date, places: Collection[str]) -> Any:
    """The figures with the cost that is linked to commits of these repositories."""
    cost = total(
        one.used.cost
        for one in linked(facts)
        if one.commit and one.commit.repository in places and first <= one.used.day <= last
        and one.used.developer != facts.bot
    )  # fmt: skip
    if cost is None:
        return figures
    etv = figures["etv"] * 1e6
    return figures | {
        "aiCost": cost / 1e6,
        "aiCostPerEtv": cost / etv if etv else None,
        "aiCommits": figures["aiCommits"] or 0,
        "aiShareAtLeast": figures["aiShareAtLeast"] or (0 if etv else None),
    }


def of(
    facts: Facts, first: date, last: date, wanted: Callable[[Commit], bool], people: Collection[str] = ()
) -> dict[str, Any]:
    """Expected metrics of the selected commits delivered in the range, and of the usage of these people."""
    commits = [
        commit
        for commit in facts.commits
        if commit.delivered_at is not None and first <= commit.delivered_at.date() <= last and wanted(commit)
    ]
    changes = (change for commit in commits for change in commit.changes)
    return expected(changes, commits, usage_of(facts, first, last, people))


def of_repository(facts: Facts, key: str) -> Callable[[Commit], bool]:
    return lambda commit: commit.repository == key and commit.developer != facts.bot


def of_developer(facts: Facts, key: str) -> Callable[[Commit], bool]:
    return lambda commit: commit.developer == key and commit.repository != facts.sandbox


def assert_figures(shown: dict[str, Any], figures: dict[str, Any]) -> None:
    for name, figure in figures.items():
        assert shown[name] == (None if figure is None else pytest.approx(figure, rel=1e-12)), name


def weeks_within(first: date, last: date) -> list[date]:
    mondays = [monday for monday in (first + timedelta(days=n) for n in range(7)) if monday.weekday() == 0]
    found, monday = [], mondays[0]
    while monday + timedelta(days=6) <= last:
        found.append(monday)
        monday += timedelta(weeks=1)
    return found


def ranged_performance(facts: Facts, kind: str, key: str | None, first: date, last: date) -> float | None:
    weeks = weekly_etv(facts, kind, key)
    inside = [monday for monday in weeks_within(first, last) if monday in weeks]
    return performance_of(sum(weeks[monday] for monday in inside), len(inside)) if inside else None


@pytest.mark.parametrize(("first", "last"), RANGES)
def test_repositories_have_their_figures_and_totals_leave_out_sandboxes(
    client: httpx.Client, facts: Facts, first: date, last: date
) -> None:
    answer = client.get(f"{ROOT}/repositories", params={"startDate": str(first), "endDate": str(last)}).json()
    assert {row["id"] for row in answer["repositories"]} == set(facts.repositories)
    for row in answer["repositories"]:
        figures = of(facts, first, last, of_repository(facts, row["id"]))
        assert_figures(row, of_linked(figures, facts, first, last, [row["id"]]))
    figures = of(facts, first, last, lambda c: c.repository != facts.sandbox and c.developer != facts.bot)
    others = facts.repositories.keys() - {facts.sandbox}
    assert_figures(answer["totals"], of_linked(figures, facts, first, last, others))


@pytest.mark.parametrize(("first", "last"), RANGES)
def test_developers_have_their_figures_and_totals_leave_out_bots(
    client: httpx.Client, facts: Facts, first: date, last: date
) -> None:
    answer = client.get(f"{ROOT}/developers", params={"startDate": str(first), "endDate": str(last)}).json()
    assert {row["id"] for row in answer["developers"]} == set(facts.developers)
    for row in answer["developers"]:
        assert_figures(row, of(facts, first, last, of_developer(facts, row["id"]), [row["id"]]))
    assert_figures(
        answer["totals"],
        of(
            facts, first, last, lambda c: c.repository != facts.sandbox and c.developer != facts.bot,
            people_of(facts),
        ),
    )  # fmt: skip


def test_a_list_begins_with_those_who_delivered_in_the_range_also_if_it_is_worth_nothing(
    tmp_path: Path,
) -> None:
    facts = make_facts()
    last = max((key for key in facts.developers if key != facts.bot), key=lambda key: facts.developers[key])
    commit = next(one for one in facts.commits if one.developer == last and one.delivered_at and one.changes)
    delivered = {one.delivered_at.date() for one in facts.commits if one.delivered_at}
    day = next(day for ago in range(1, 60) if (day := TODAY - timedelta(days=ago)) not in delivered)
    commit.delivered_at = datetime.combine(day, time(12), UTC)
    commit.changes = [replace(commit.changes[0], day=day, novel=0, comments=0)]
    assert commit.etv == 0
    deployment = deploy(tmp_path / "data", facts, write(facts, tmp_path / "built.duckdb"))
    deployment.publish()
    with serving(deployment.data_dir) as address, client_for(address, deployment.key()) as client:
        params = {"startDate": str(day), "endDate": str(day)}
        rows = client.get(f"{ROOT}/developers", params=params).json()["developers"]
    assert {(row["etv"], row["commits"]) for row in rows[1:]} == {(0, 0)}
    assert (rows[0]["id"], rows[0]["etv"], rows[0]["commits"]) == (last, 0, 1)
    assert [row["name"] for row in rows[1:]] == sorted(row["name"] for row in rows[1:])


def test_one_item_has_the_figures_that_the_list_has(client: httpx.Client) -> None:
    for resource in ("repositories", "developers"):
        for row in client.get(f"{ROOT}/{resource}").json()[resource]:
            one = client.get(f"{ROOT}/{resource}/{row['id']}").json()
            assert {name: one[name] for name in row} == row


def test_totals_follow_the_filter_and_stay_ratios_of_sums(client: httpx.Client, facts: Facts) -> None:
    first, last = RANGES[0]
    params = {"startDate": str(first), "endDate": str(last), "filter": 'name != "Grace"'}
    answer = client.get(f"{ROOT}/developers", params=params).json()
    grace = next(key for key, name in facts.developers.items() if name == "Grace")
    wanted = of(
        facts, first, last,
        lambda c: c.repository != facts.sandbox and c.developer not in (facts.bot, grace),
        people_of(facts) - {grace},
    )  # fmt: skip
    assert_figures(answer["totals"], wanted)
    assert answer["totalSize"] == len(facts.developers) - 1


@pytest.mark.parametrize(("first", "last"), RANGES[:2])
def test_performance_over_a_range_is_that_of_its_whole_weeks(
    client: httpx.Client, facts: Facts, first: date, last: date
) -> None:
    for resource, kind in (("repositories", "repository"), ("developers", "developer")):
        answer = client.get(
            f"{ROOT}/{resource}", params={"startDate": str(first), "endDate": str(last)}
        ).json()
        for row in answer[resource]:
            wanted = ranged_performance(facts, kind, row["id"], first, last)
            assert row["performance"] == (None if wanted is None else pytest.approx(wanted))
            assert (row["performanceMissingReason"] is None) == (wanted is not None)


def test_performance_over_a_whole_month_is_the_published_one(client: httpx.Client, facts: Facts) -> None:
    answer = client.get(
        f"{ROOT}/developers", params={"startDate": "2026-09-01", "endDate": "2026-09-30"}
    ).json()
    for row in answer["developers"]:
        weeks = weekly_etv(facts, "developer", row["id"])
        inside = [etv for monday, etv in weeks.items() if (monday.year, monday.month) == (2026, 9)]
        wanted = performance_of(sum(inside), len(inside))
        assert row["performance"] == (None if wanted is None else pytest.approx(wanted))
        assert row["performanceMissingReason"] == ("NO_ETV" if wanted is None else None)


def test_a_range_without_a_whole_week_has_no_performance(client: httpx.Client) -> None:
    answer = client.get(
        f"{ROOT}/developers", params={"startDate": "2026-11-10", "endDate": "2026-11-15"}
    ).json()
    assert {(row["performance"], row["performanceMissingReason"]) for row in answer["developers"]} == {
        (None, "NO_WHOLE_WEEK"),
        (None, "NO_ETV"),
    }


def test_the_ai_share_is_null_without_any_use_of_ai(client: httpx.Client, facts: Facts) -> None:
    answer = client.get(
        f"{ROOT}/developers", params={"startDate": "2026-04-01", "endDate": "2026-11-20"}
    ).json()
    shares = {row["name"]: row["aiShareAtLeast"] for row in answer["developers"]}
    assert shares["Linus"] is None
    assert 0 < shares["Ada"] < 1


def test_the_default_range_is_the_last_twelve_complete_weeks(client: httpx.Client) -> None:
    for resource in ("repositories", "developers", "metrics"):
        answer = client.get(f"{ROOT}/{resource}").json()
        assert (answer["startDate"], answer["endDate"]) == ("2026-08-24", "2026-11-15")


def bucket_start(interval: str, day: date) -> date:
    return {
        "DAY": day,
        "WEEK": day - timedelta(days=day.weekday()),
        "MONTH": day.replace(day=1),
        "QUARTER": date(day.year, (day.month - 1) // 3 * 3 + 1, 1),
        "YEAR": date(day.year, 1, 1),
    }[interval]


def having(field: str, *values: str) -> Callable[[Change], bool]:
    return lambda change: getattr(change, field) in values


def of_nothing(_: Change) -> bool:
    return False


def lines_of(facts: Facts, group: str | None) -> dict[str | None, Callable[[Change], bool]]:
    """The changes of each series."""
    match group:
        case None:
            return {None: lambda _: True}
        case "REPOSITORY":
            return {key: having("repository", key) for key in facts.repositories if key != facts.sandbox}
        case "DEVELOPER":
            return {key: having("developer", key) for key in facts.developers if key != facts.bot}
        case "CATEGORY":
            return {name.upper(): having("category", name) for name in CATEGORIES}
        case "THREE":
            return {
                "GROWTH": having("category", "features"),
                "MAINTENANCE": having("category", "maintenance", "tests", "documentation"),
                "FIXES": having("category", "fixes"),
            }
        case _:
            return {
                "GROWTH": having("category", "features"),
                "KEEP_THE_LIGHTS_ON": having("category", "maintenance", "tests", "documentation", "fixes"),
            }


def keys_of_usage(facts: Facts, group: str | None, first: date, last: date) -> set[str | None]:
    """The developers or repositories with usage."""
    if group == "DEVELOPER":
        return {one.developer for one in usage_of(facts, first, last, people_of(facts))}
    if group != "REPOSITORY":
        return set()
    return {
        one.commit.repository
        for one in linked(facts)
        if one.commit and first <= one.used.day <= last and one.commit.repository != facts.sandbox
    }


@pytest.mark.parametrize("interval", ["DAY", "WEEK", "MONTH", "QUARTER", "YEAR"])
@pytest.mark.parametrize("group", [None, "REPOSITORY", "DEVELOPER", "CATEGORY", "THREE", "TWO"])
def test_series_add_up_to_the_changes(
    client: httpx.Client, facts: Facts, interval: str, group: str | None
) -> None:
    first, last = date(2026, 5, 6), date(2026, 11, 18)
    params = {"interval": interval, "startDate": str(first), "endDate": str(last)}
    if group in ("THREE", "TWO"):
        params |= {"groupBy": "CATEGORY", "categoryGrouping": group}
    elif group:
        params["groupBy"] = group
    answer = client.get(f"{ROOT}/metrics", params=params).json()
    assert answer["interval"] == interval
    keys = lines_of(facts, group)
    # A person who used a tool and delivered nothing has a line.
    keys |= dict.fromkeys(keys_of_usage(facts, group, first, last) - keys.keys(), of_nothing)
    assert {line["key"] for line in answer["series"]} == keys.keys()
    for line in answer["series"]:
        days: dict[date, list[Change]] = {}
        for change in facts.changes:
            if (
                first <= change.day <= last
                and not change.is_bot
                and not change.is_sandbox
                and keys[line["key"]](change)
            ):
                days.setdefault(bucket_start(interval, change.day), []).append(change)
        starts = [date.fromisoformat(point["start"]) for point in line["points"]]
        assert starts == sorted(
            {bucket_start(interval, first + timedelta(days=n)) for n in range((last - first).days + 1)}
        )
        assert set(days) <= set(starts)
        for start, point in zip(starts, line["points"], strict=True):
            within = [
                day
                for n in range((last - first).days + 1)
                if bucket_start(interval, day := first + timedelta(days=n)) == start
            ]
            people = {None: people_of(facts), "DEVELOPER": [line["key"]]}.get(group, ())
            figures = expected(days.get(start, []), [], usage_of(facts, within[0], within[-1], people))
            places = [line["key"]] if group == "REPOSITORY" else []
            figures = of_linked(figures, facts, within[0], within[-1], places)
            # Commits are counted in their main category, which changes alone do not know.
            for name in ("commits", "aiCommits"):
                del figures[name]
            assert_figures(point, figures)


@pytest.mark.parametrize(
    ("set_to", "asked", "keys"),
    [
        ("FIVE", None, ["FEATURES", "MAINTENANCE", "TESTS", "DOCUMENTATION", "FIXES"]),
        ("TWO", None, ["GROWTH", "KEEP_THE_LIGHTS_ON"]),
        ("TWO", "THREE", ["GROWTH", "MAINTENANCE", "FIXES"]),
    ],
)
def test_categories_are_grouped_as_the_organization_has_set_unless_asked_otherwise(
    client: httpx.Client, monkeypatch: pytest.MonkeyPatch, set_to: str, asked: str | None, keys: list[str]
) -> None:
    if set_to != "FIVE":
        monkeypatch.setattr("api.read.figures.series.own_grouping", lambda _: set_to)
    # Answers are kept by what was asked.
    params = {"groupBy": "CATEGORY", "pageSize": str(90 + len(keys))} | (
        {"categoryGrouping": asked} if asked else {}
    )
    answer = client.get(f"{ROOT}/metrics", params=params).json()
    assert [line["key"] for line in answer["series"]] == keys
    assert answer["categoryGrouping"] == (asked or set_to)
    # A category that is asked for is in its group.
    only = client.get(f"{ROOT}/metrics", params=params | {"category": "TESTS"}).json()
    assert len(only["series"]) == 1
    assert client.get(f"{ROOT}/metrics").json()["categoryGrouping"] is None


def test_weekly_points_carry_iso_numbers_and_published_performance(
    client: httpx.Client, facts: Facts
) -> None:
    answer = client.get(f"{ROOT}/metrics", params={"startDate": "2026-08-24", "endDate": "2026-11-20"}).json()
    weeks = weekly_etv(facts, "organization", None)
    for point in answer["series"][0]["points"]:
        start = date.fromisoformat(point["start"])
        year, week, _ = start.isocalendar()
        assert (point["label"], point["weekNumber"]) == (f"{year}-W{week:02}", week)
        assert point["isDraft"] == (date.fromisoformat(point["end"]) >= TODAY)
        assert point["isPartial"] == (point["end"] > "2026-11-20")
        wanted = None if point["isPartial"] else performance_of(weeks[start], 1)
        assert point["performance"] == (None if wanted is None else pytest.approx(wanted))
        assert (point["performanceMissingReason"] == "PARTIAL") == point["isPartial"]
        assert (point["performanceMissingReason"] is None) == (wanted is not None)


def test_performance_per_developer_is_that_of_the_developer(client: httpx.Client, facts: Facts) -> None:
    params = {
        "groupBy": "DEVELOPER",
        "metrics": "performance",
        "startDate": "2026-08-24",
        "endDate": "2026-11-15",
    }
    for line in client.get(f"{ROOT}/metrics", params=params).json()["series"]:
        weeks = weekly_etv(facts, "developer", line["key"])
        for point in line["points"]:
            wanted = performance_of(weeks[date.fromisoformat(point["start"])], 1)
            assert point["performance"] == (None if wanted is None else pytest.approx(wanted))


@pytest.mark.parametrize("narrowed", [{"category": "fixes"}, {"groupBy": "CATEGORY"}, {"interval": "DAY"}])
def test_a_slice_without_employed_weeks_has_no_performance(
    client: httpx.Client, narrowed: dict[str, str]
) -> None:
    for line in client.get(f"{ROOT}/metrics", params=narrowed).json()["series"]:
        assert {point["performance"] for point in line["points"]} == {None}
        why = "NO_WHOLE_WEEK" if "interval" in narrowed else "MIXTURE"
        assert {point["performanceMissingReason"] for point in line["points"]} <= {why, "PARTIAL"}


def test_series_are_narrowed_by_repository_developer_and_category(client: httpx.Client, facts: Facts) -> None:
    web, ada = next(iter(facts.repositories)), next(iter(facts.developers))
    year = {"interval": "YEAR", "startDate": "2026-01-01", "endDate": "2026-12-31"}
    params = year | {
        "repository": web,
        "developer": ada,
        "metrics": "etv,files",
        "category": ["FEATURES", "tests"],
    }
    (point,) = client.get(f"{ROOT}/metrics", params=params).json()["series"][0]["points"]
    wanted = [
        change for change in facts.changes
        if change.repository == web and change.developer == ada and change.category in ("features", "tests")
    ]  # fmt: skip
    assert point["etv"] == pytest.approx(sum(change.etv for change in wanted) / 1e6)
    assert point["files"] == len(wanted)
    assert not {metric for metric in METRICS if metric in point} - {"etv", "files"}


def test_a_sandbox_counts_where_it_is_named_and_bots_where_they_are_wanted(
    client: httpx.Client, facts: Facts
) -> None:
    days = {"interval": "YEAR", "startDate": "2026-01-01", "endDate": "2026-12-31", "metrics": "etv"}
    for params, wanted in (
        ({"repository": facts.sandbox}, [c for c in facts.changes if c.is_sandbox and not c.is_bot]),
        ({"includeBots": "true"}, [c for c in facts.changes if not c.is_sandbox]),
    ):
        (point,) = client.get(f"{ROOT}/metrics", params=days | params).json()["series"][0]["points"]
        assert point["etv"] == pytest.approx(sum(change.etv for change in wanted) / 1e6)
