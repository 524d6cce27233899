"""Team figures against plain loops: a credit counts for the author's team on its day, and for all teams above."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from itertools import groupby
from pathlib import Path
from zoneinfo import ZoneInfo

from tests.dbt import warehouse
from tests.dbt.invented import invented_lake
from tests.dbt.invented.invented_identities import developer_id
from tests.dbt.invented.invented_teams import ADA, ADA_AT_HOME, MEMBERSHIPS, TEAMS, team_id

Row = dict[str, object]


def team_on(addresses: set[str], day: date) -> str | None:
    """The team of the latest membership that is valid on the day."""
    holding = [
        (start, team)
        for address, team, start, end in MEMBERSHIPS
        if address in addresses and start <= day <= (end or date.max)
    ]
    return max(holding)[1] if holding else None


def and_above(team: str | None) -> list[str]:
    found = []
    while team is not None:
        found.append(team)
        team = TEAMS[team]
    return found


def test_a_team_has_the_work_of_its_members_and_sub_teams(built: Path) -> None:
    people = {
        row["developer_id"]: {address["email"] for address in row["addresses"]}
        for row in warehouse.rows(built, "select developer_id, addresses from developers")
    }
    written = """
        select k.*, c.authored_at from fct_commit_credits k
        join stg_git__commits c using (repository_id, commit_sha)
        where k.is_counted or (k.zero_reason = 'BOT' and k.role = 'author')
    """
    expected: Counter[tuple[str, object]] = Counter()
    teams_of: dict[object, set[str]] = {}
    for row in warehouse.rows(built, written):
        day = row["authored_at"].astimezone(ZoneInfo(invented_lake.TIME_ZONE)).date()
        team = team_on(people[row["developer_id"]], day)
        teams_of.setdefault(row["developer_id"], set()).update([team] if team else [])
        for name in and_above(team):
            expected[team_id(name), row["delivered_on"]] += row["etv_micro"]
    assert sorted(map(len, teams_of.values()))[-2:] == [2, 2]
    query = """
        select team_id, delivered_on, sum(etv_micro)::bigint as n from team_daily group by all
    """
    found = {(row["team_id"], row["delivered_on"]): row["n"] for row in warehouse.rows(built, query)}
    assert {key: n for key, n in found.items() if n} == {key: n for key, n in expected.items() if n}
    assert {team for team, _ in found} == {team_id(name) for name in TEAMS if name != "Empty"}


def test_a_membership_resumes_when_a_later_one_ends(built: Path) -> None:
    """Every day of every developer, from before the first membership to after the last one began."""
    people = {
        row["developer_id"]: {address["email"] for address in row["addresses"]}
        for row in warehouse.rows(built, "select developer_id, addresses from developers")
    }
    expected: dict[object, list[tuple[object, date, date]]] = {}
    first, last = date(2024, 12, 30), date(2025, 6, 30)
    days = [first + timedelta(days=n) for n in range((last - first).days + 1)]
    for developer, addresses in people.items():
        stretches = expected.setdefault(developer, [])
        for team, held in groupby(days, lambda day: team_on(addresses, day)):  # noqa: B023 - used at once
            if team:
                run = list(held)
                stretches.append((team_id(team), run[0], date.max if run[-1] == last else run[-1]))
    found: dict[object, list[tuple[object, date, date]]] = {developer: [] for developer in people}
    for row in warehouse.rows(built, "select * from api_v1__team_members order by start_on"):
        found[row["developer_id"]].append((row["team_id"], row["start_on"], row["end_on"]))
    assert found == expected
    ada = next(stretches for stretches in found.values() if len(stretches) > 2)
    assert [team for team, _, _ in ada] == [
        team_id(name) for name in ("Platform", "Ledger", "Platform", "Ledger", "Platform", "Ledger")
    ]


def test_the_tree_counts_the_people_of_today(built: Path) -> None:
    query = "select name, depth, sub_team_count, developer_count, own_developer_count from api_v1__teams"
    found = {row.pop("name"): tuple(row.values()) for row in warehouse.rows(built, query)}
    assert found == {
        "Engineering": (0, 3, 3, 1),
        "Platform": (1, 0, 1, 1),
        "Payments": (1, 1, 1, 0),
        "Ledger": (2, 0, 1, 1),
        "Empty": (0, 0, 0, 0),
    }


def test_team_performance_counts_the_days_of_membership(built: Path) -> None:
    """Ada has two addresses in two teams; each day counts for the team of the latest membership."""
    spans = warehouse.rows(built, "select * from fct_employment where entity_kind = 'team'")
    ada = next(
        row["developer_id"]
        for row in warehouse.rows(
            built, "select developer_id, own_developer_id from int_identity__developers"
        )
        if row["own_developer_id"] == developer_id(MEMBERSHIPS[1][0])
    )
    days = Counter[object]()
    for span in spans:
        if span["developer_id"] == ada:
            days[span["entity_id"]] += (span["last_on"] - span["first_on"]).days + 1
    assert days[team_id("Platform")] > 0
    assert days[team_id("Ledger")] == days[team_id("Payments")] > 0
    assert days[team_id("Engineering")] == days[team_id("Platform")] + days[team_id("Ledger")]
    query = """
        select entity_id, period_start, etv_micro from api_v1__performance
        where entity_kind = 'team' and period = 'month'
    """
    performed = {
        (row["entity_id"], row["period_start"]): row["etv_micro"] for row in warehouse.rows(built, query)
    }
    summed = """
        select team_id, date_trunc('month', delivered_on)::date as month, sum(etv_micro)::bigint as n
        from team_daily where not is_bot and not is_sandbox group by all
    """
    by_month = {(row["team_id"], row["month"]): row["n"] for row in warehouse.rows(built, summed)}
    assert performed
    assert all(by_month.get(key, 0) == etv for key, etv in performed.items())


def test_the_report_names_the_team_of_most_working_days(built: Path) -> None:
    people = {
        row["developer_id"]: {address["email"] for address in row["addresses"]}
        for row in warehouse.rows(built, "select developer_id, addresses from developers")
    }
    rows = warehouse.rows(built, "select developer_id, month, team from api_v1__capex")
    for row in rows:
        days = Counter[str]()
        day = row["month"]
        while day.month == row["month"].month:
            team = team_on(people[row["developer_id"]], day)
            if team and day.weekday() < 5:
                days[team] += 1
            day += timedelta(days=1)
        most = max(days.values(), default=0)
        first: set[str | None] = {team for team, n in days.items() if n == most}
        assert row["team"] in (first or {None}), row
    assert {row["team"] for row in rows} >= {"Platform", "Ledger", "Payments", "Engineering", None}


def test_each_published_row_names_the_team_of_its_day(built: Path) -> None:
    """Commits have the team of the author, credits that of the developer; developers without a team have none."""
    people = {
        row["developer_id"]: {address["email"] for address in row["addresses"]}
        for row in warehouse.rows(built, "select developer_id, addresses from developers")
    }
    written = "select commit_id, developer_id, authored_at, team_id from commits_by_time"
    days = {}
    teams: set[object] = set()
    for row in warehouse.rows(built, written):
        days[row["commit_id"]] = row["authored_at"].astimezone(ZoneInfo(invented_lake.TIME_ZONE)).date()
        team = team_on(people[row["developer_id"]], days[row["commit_id"]])
        assert row["team_id"] == (team_id(team) if team else None), row
        teams.add(row["team_id"])
    assert teams == {None, *(team_id(name) for name in TEAMS if name != "Empty")}
    shared = 0
    for row in warehouse.rows(built, "select * from commit_credits"):
        team = team_on(people[row["developer_id"]], days[row["commit_id"]])
        assert row["team_id"] == (team_id(team) if team else None), row
        shared += row["role"] != "author"
    assert shared
    own = """
        select team_id, delivered_on, sum(etv_micro)::bigint as n from daily
        where team_id is not null group by all
    """
    expected: Counter[tuple[str, object]] = Counter()
    above = {team_id(name): [team_id(one) for one in and_above(name)] for name in TEAMS}
    for row in warehouse.rows(built, own):
        for team in above[row["team_id"]]:
            expected[team, row["delivered_on"]] += row["n"]
    query = "select team_id, delivered_on, sum(etv_micro)::bigint as n from team_daily group by all"
    found = {(row["team_id"], row["delivered_on"]): row["n"] for row in warehouse.rows(built, query)}
    assert found == expected


def test_an_address_maps_to_its_only_developer(built: Path) -> None:
    """A generic or shared address belongs to no developer."""
    holders: dict[str, set[object]] = {}
    for row in warehouse.rows(built, "select developer_id, addresses from developers"):
        for address in row["addresses"]:
            holders.setdefault(developer_id(address["email"]), set()).add(row["developer_id"])
    found = {
        row["own_developer_id"]: row["developer_id"]
        for row in warehouse.rows(built, "select * from developer_identities")
    }
    known = {key: developer for key, developer in found.items() if key in holders}
    assert len(known) > 5
    assert all(holders[key] == {developer} for key, developer in known.items())
    assert known[developer_id(ADA)] == known[developer_id(ADA_AT_HOME)]
    assert all(len(holders[key]) == 1 for key in known)
