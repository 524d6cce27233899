"""Figures of small groups are hidden, and nobody can compute them from the shown ones."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import date
from typing import Any

import httpx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from api.access.group_privacy.hiding import hide, people_of
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.people import join, make_account, sign_in
from tests.api.presentation.charts.drawn import read
from tests.api.published_facts import ORGANIZATION, UNIT, Facts
from tests.api.scoped_deployment import LEADS, make_lead
from tests.api.scoped_facts import address, below, developer_id, team_id
from tests.api.told_people import Cell, told

MONTHS = [date(2026, month, 1) for month in range(5, 11)]
WHOLE = {"startDate": "2026-05-01", "endDate": "2026-10-31"}


def covered(parents: dict[str, str | None], key: str | None, team: str | None) -> bool:
    """Whether `key` is the team or above it; None is above everything."""
    while team is not None and team != key:
        team = parents.get(team)
    return team == key


@st.composite
def organizations(draw: st.DrawFn) -> tuple[dict[str, str | None], dict[str | None, set[str]], int]:
    names = [f"t{number}" for number in range(draw(st.integers(1, 6)))]
    parents = {name: draw(st.sampled_from([None, *names[:number]])) for number, name in enumerate(names)}
    people = st.sets(st.sampled_from("abcdefg"), max_size=5)
    own = {key: draw(people) for key in [None, *names]}
    return parents, own, draw(st.integers(2, 4))


@given(organizations())
# A team of five less a sub-team of four.
@example(({"five": None, "four": "five"}, {None: set(), "five": {"e"}, "four": set("abcd")}, 3))
def test_nothing_about_fewer_people_can_be_computed_from_shown_figures(
    organization: tuple[dict[str, str | None], dict[str | None, set[str]], int],
) -> None:
    parents, own, minimum_group_size = organization
    hidden = hide(parents, people_of(own), minimum_group_size)

    def cells(key: str | None) -> set[Cell]:
        return {
            (team, person) for team, people in own.items() if covered(parents, key, team) for person in people
        }

    shown = [cells(key) for key in parents if key not in hidden]
    everybody = cells(None)
    if len({person for _, person in everybody}) >= minimum_group_size:
        shown.append(everybody)
    assert told([one for one in shown if one], minimum_group_size) == []


def test_no_more_is_hidden_than_it_takes() -> None:
    assert hide({"a": None, "b": None}, people_of({"a": "xyz", "b": "uvw"}), 3) == frozenset()
    assert hide({"a": None, "b": None}, people_of({"a": "xyz", "b": "uv"}), 3) == {"a", "b"}
    assert hide({"a": None, "b": None, "c": None}, people_of({"a": "xyzq", "b": "uvw", "c": "m"}), 3) == {
        "b",
        "c",
    }
    assert hide({"five": None, "four": "five"}, people_of({"five": "e", "four": "abcd"}), 3) == {"four"}
    assert hide({"a": None}, people_of({"a": ""}), 3) == frozenset()


@pytest.fixture(scope="module")
def owner(deployed: Deployment, address_of: str) -> Iterator[httpx.Client]:
    with client_for(
        address_of, sign_in(deployed.store, join(deployed.store, ORGANIZATION, "owner"))
    ) as client:
        yield client


@pytest.fixture
def minimum_group_size(owner: httpx.Client) -> Iterator[int]:
    """A minimum group size of three, to the end of the test."""
    changed = owner.patch(f"{ROOT}/settings", json={"minimumGroupSize": 3})
    assert changed.json()["minimumGroupSize"] == 3
    yield 3
    owner.patch(f"{ROOT}/settings", json={"minimumGroupSize": 0, "hasIndividualFigures": True})


def figures(client: httpx.Client, path: str, **params: Any) -> dict[str, Any]:
    answer = client.get(f"{ROOT}/{path}", params={"pageSize": 100} | params)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def month_cells(facts: Facts, month: date, of: str) -> dict[str | None, dict[Cell, int]]:
    """Per repository or own team: the ETV of each person, without sandboxes and bots."""
    found: dict[str | None, dict[Cell, int]] = defaultdict(lambda: defaultdict(int))
    for commit in facts.commits:
        group = facts.team_of_commit(commit) if of == "team" else commit.repository
        for change in commit.changes:
            if change.day.replace(day=1) == month and not change.is_bot and not change.is_sandbox:
                found[group][group, change.developer] += change.etv
    return found


@pytest.mark.parametrize("of", ["team", "repository"])
def test_shown_figures_of_a_month_reveal_no_small_group(
    owner: httpx.Client, moving: Facts, minimum_group_size: int, of: str
) -> None:
    hidden_somewhere = False
    for month in MONTHS:
        days = {"startDate": month.isoformat(), "endDate": month.isoformat()}
        answer = figures(owner, f"{of}s" if of == "team" else "repositories", **days)
        assert answer["startDate"] == month.isoformat()
        assert date.fromisoformat(answer["endDate"]).month == month.month
        groups = month_cells(moving, month, of)
        shown = []
        for one in answer["teams" if of == "team" else "repositories"]:
            if one["id"] == moving.sandbox:
                continue
            mine = {
                cell: etv
                for group, cells in groups.items()
                for cell, etv in cells.items()
                if group == one["id"] or (of == "team" and one["id"] in moving.and_above(group))
            }
            if one["suppressedReason"] is None:
                assert one["etv"] == pytest.approx(sum(mine.values()) / UNIT, abs=1e-6)
                shown.append(set(mine))
                continue
            hidden_somewhere = True
            assert one["suppressedReason"] == "MINIMUM_GROUP_SIZE"
            assert mine
            assert all(
                one[name] is None
                for name in ("etv", "commits", "performance", "aiShareAtLeast", "linesAdded")
            )
        if of == "repository" and answer["totals"]["suppressedReason"] is None:
            everybody = {cell: etv for cells in groups.values() for cell, etv in cells.items()}
            assert answer["totals"]["etv"] == pytest.approx(sum(everybody.values()) / UNIT, abs=1e-6)
        shown.append({cell for cells in groups.values() for cell in cells})
        assert told([one for one in shown if one], minimum_group_size) == []
    assert hidden_somewhere


def test_figures_hidden_in_a_month_are_hidden_in_longer_ranges_and_series(
    owner: httpx.Client, moving: Facts, minimum_group_size: int
) -> None:
    whole = {one["id"]: one["suppressedReason"] for one in figures(owner, "teams", **WHOLE)["teams"]}
    by_month: dict[str, list[bool]] = defaultdict(list)
    for month in MONTHS:
        for one in figures(owner, "teams", startDate=month.isoformat(), endDate=month.isoformat())["teams"]:
            by_month[one["id"]].append(one["suppressedReason"] is not None)
    assert {key: reason is not None for key, reason in whole.items()} == {
        key: any(months) for key, months in by_month.items()
    }
    lines = figures(owner, "metrics", **WHOLE, groupBy="TEAM", interval="DAY")
    assert (lines["interval"], lines["isCoarsened"]) == ("MONTH", True)
    assert lines["allowedIntervals"] == ["MONTH", "QUARTER", "YEAR"]
    for line in lines["series"]:
        assert [point["isSuppressed"] for point in line["points"]] == by_month[line["key"]]
        for point in line["points"]:
            assert (point["etv"] is None) == point["isSuppressed"]
        # However its id is spelled.
        named = figures(owner, "metrics", **WHOLE, team=line["key"].upper(), interval="MONTH")["series"][0]
        assert [point["isSuppressed"] for point in named["points"]] == by_month[line["key"]]
    # A picture has a gap in the place of a hidden figure.
    answer = owner.get(
        f"{ROOT}/metrics",
        params=WHOLE | {"groupBy": "TEAM", "interval": "MONTH", "metrics": "etv"},
        headers={"Accept": "image/svg+xml"},
    )
    shown = [mark.label.partition(",")[0] for mark in read(answer.text).marks]
    assert Counter(shown) == {
        line["name"]: by_month[line["key"]].count(False)
        for line in lines["series"]
        if not all(by_month[line["key"]])
    }
    # An answer that is cut in pages says nothing of the hidden ones in its tokens, nor does its order.
    assert figures(owner, "teams", **WHOLE, filter="etv >= 0")["totalSize"] == sum(
        r is None for r in whole.values()
    )
    ordered = [one["etv"] for one in figures(owner, "teams", **WHOLE, orderBy="etv desc")["teams"]]
    assert ordered == sorted(ordered, key=lambda etv: (etv is None, -(etv or 0)))
    moved = figures(owner, "movements", **WHOLE, entity="TEAM")["movements"]
    for row in moved:
        number = MONTHS.index(date.fromisoformat(row["periodStart"]))
        assert not any(by_month[row["entityId"]][max(0, number - 1) : number + 1])
        assert not row["isDraft"]


def test_ranges_are_whole_months_that_are_over(owner: httpx.Client, minimum_group_size: int) -> None:
    answer = figures(owner, "teams", startDate="2026-09-13", endDate="2026-10-02")
    assert (answer["startDate"], answer["endDate"]) == ("2026-09-01", "2026-10-31")
    running = figures(owner, "teams", startDate="2026-10-13", endDate="2026-11-20")
    assert (running["startDate"], running["endDate"]) == ("2026-10-01", "2026-10-31")
    usual = figures(owner, "teams")
    assert (usual["startDate"], usual["endDate"]) == ("2026-08-01", "2026-10-31")
    for interval, first, last in (
        ("WEEK", "2026-08-01", "2026-10-31"),
        ("MONTH", "2025-11-01", "2026-10-31"),
        ("QUARTER", "2024-10-01", "2026-09-30"),
        ("YEAR", "2022-01-01", "2026-10-31"),
    ):
        found = figures(owner, "metrics", interval=interval)
        assert (found["startDate"], found["endDate"]) == (first, last)
    refused = owner.get(f"{ROOT}/teams", params={"startDate": "2026-11-02", "endDate": "2026-11-08"})
    assert (refused.status_code, refused.json()["code"]) == (400, 3)
    assert "only complete months" in refused.json()["message"]


SINGLE = (
    "commits", "commits?developer=x",
    "commits?filter=etv > 1", "commits/nothing", "commits/nothing/files", "capex", "capex?format=CSV",
    "capex?format=XLSX", "capex?version=LOCKED", "metrics?groupBy=DEVELOPER",
    f"metrics?developer={developer_id('Ada')}",
    "movements?entity=DEVELOPER", "metrics?groupBy=TEAM&repository=x", "metrics?groupBy=REPOSITORY&team=x",
    "metrics?team=x&repository=x", "capexRestatements",
    "zeroReasons?team=x&repository=x", "aiSpend?groupBy=DEVELOPER", "aiSpend?groupBy=DEVELOPER&format=CSV",
    "aiSpend?groupBy=MODEL&format=XLSX",
)  # fmt: skip


@pytest.mark.parametrize("settings", [{"hasIndividualFigures": False}, {"minimumGroupSize": 2}])
def test_figures_of_single_people_are_hidden(
    owner: httpx.Client, moving: Facts, minimum_group_size: int, settings: dict[str, Any]
) -> None:
    assert owner.patch(f"{ROOT}/settings", json={"minimumGroupSize": 0} | settings).status_code == 200
    for path in SINGLE:
        answer = owner.get(f"{ROOT}/{path}")
        assert (answer.status_code, answer.json()["code"]) == (403, 7), (path, answer.text)
        assert re_reason(answer.json()["message"])
    listed = figures(owner, "developers", **WHOLE)
    assert listed["totalSize"] == len(moving.developers)
    for one in [*listed["developers"], figures_of(owner, developer_id("Ada"))]:
        assert one["suppressedReason"] == "MINIMUM_GROUP_SIZE"
        for name in (
            "etv",
            "commits",
            "effort",
            "performance",
            "commitCount",
            "deliveredCommitCount",
            "lastDeliveredAt",
        ):
            assert one[name] is None, name
    assert listed["totals"]["suppressedReason"] is None
    assert listed["totals"]["etv"] is not None
    for narrowed in ({"filter": "isBot = false"}, {"search": "ada"}):
        totals = figures(owner, "developers", **WHOLE, **narrowed)["totals"]
        assert totals["suppressedReason"] == "MINIMUM_GROUP_SIZE"
        assert totals["etv"] is None
    assert figures(owner, "developers", **WHOLE, filter="etv > 0")["totalSize"] == 0


def re_reason(message: str) -> bool:
    return (
        "this organization hides figures of single developers" in message
        or "this organization hides figures of few people" in message
    )


def figures_of(client: httpx.Client, developer: str) -> dict[str, Any]:
    answer = client.get(f"{ROOT}/developers/{developer}")
    assert answer.status_code == 200, answer.text
    assert all(one["commits"] is None for one in answer.json()["addresses"])
    return dict(answer.json())


def test_a_lead_of_few_sees_no_figures_of_them(
    deployed: Deployment, address_of: str, moving: Facts, minimum_group_size: int
) -> None:
    for name in ("Mobile", "Product", "Engineering"):
        with client_for(address_of, sign_in(deployed.store, make_lead(deployed, (name,)))) as lead:
            for month in MONTHS:
                day = month.isoformat()
                groups = month_cells(moving, month, "team")
                shown = []
                for one in figures(lead, "teams", startDate=day, endDate=day)["teams"]:
                    mine = {
                        c for g, cells in groups.items() for c in cells if one["id"] in moving.and_above(g)
                    }
                    if one["suppressedReason"] is None:
                        shown.append(mine)
                total = figures(lead, "developers", startDate=day, endDate=day)["totals"]
                if total["suppressedReason"] is None:
                    teams = below(moving, name)
                    shown.append(
                        {cell for group, cells in groups.items() if group in teams for cell in cells}
                    )
                assert told([one for one in shown if one], minimum_group_size) == []


@pytest.mark.parametrize("teams", [("Research",), *LEADS.values()])
def test_when_few_delivered_is_no_date_of_the_organization_either(
    deployed: Deployment, address_of: str, moving: Facts, minimum_group_size: int, teams: tuple[str, ...]
) -> None:
    led = below(moving, *teams)
    commits = [one for one in moving.commits if moving.team_of_commit(one) in led and one.delivered_at]
    changes = [change for one in commits for change in one.changes]
    people = {one.developer for one in commits} - {one.developer for one in changes if one.is_bot}
    days = [one.day for one in changes]
    with client_for(address_of, sign_in(deployed.store, make_lead(deployed, teams))) as lead:
        answer = lead.get(ROOT).json()
    expected: list[str | None] = (
        [bound(days).isoformat() for bound in (min, max)]
        if len(people) >= minimum_group_size
        else [None, None]
    )
    assert [answer["firstDeliveredOn"], answer["lastDeliveredOn"]] == expected


def test_a_setting_acts_on_the_next_request_and_a_cached_answer_is_no_longer_valid(
    owner: httpx.Client,
) -> None:
    before = owner.get(f"{ROOT}/developers")
    owner.patch(f"{ROOT}/settings", json={"hasIndividualFigures": False})
    after = owner.get(f"{ROOT}/developers", headers={"If-None-Match": before.headers["ETag"]})
    assert after.status_code == 200
    assert after.json()["developers"][0]["etv"] is None
    owner.patch(f"{ROOT}/settings", json={"hasIndividualFigures": True})
    assert owner.get(f"{ROOT}/developers").json()["developers"][0]["etv"] is not None
    log = owner.get(f"{ROOT}/auditEntries", params={"action": "organizations.changeSettings"}).json()
    assert log["auditEntries"][0]["after"] == {"hasIndividualFigures": True}
    for wrong in (-1, 101):
        assert owner.patch(f"{ROOT}/settings", json={"minimumGroupSize": wrong}).status_code == 400


def test_own_figures_stay_visible_to_oneself(
    deployed: Deployment, address_of: str, moving: Facts, minimum_group_size: int
) -> None:
    store = deployed.store
    account = join(store, ORGANIZATION, "viewer", make_account(store, address("Barbara")))
    mine = [commit for commit in moving.commits if commit.developer == developer_id("Barbara")]
    with client_for(address_of, sign_in(store, account)) as client:
        days = {"startDate": "2026-04-01", "endDate": "2026-11-20"}
        me = client.get(f"{ROOT}/me", params=days).json()
        expected = sum(c.etv for commit in mine for c in commit.changes if not c.is_sandbox) / UNIT
        assert me["developer"]["etv"] == pytest.approx(expected, abs=1e-6)
        assert figures(client, "me/commits")["totalSize"] == len(mine)
        assert client.get(f"{ROOT}/commits").status_code == 403
        months = figures(client, "me/capex", includeDrafts=True)
        assert {row["developerId"] for row in months["rows"]} == {developer_id("Barbara")}
        weekly = figures(client, "me/metrics", **days, metrics="etv")
        assert sum(p["etv"] for p in weekly["series"][0]["points"]) == pytest.approx(expected, abs=1e-4)
        assert figures(client, "teams")["teams"]


def reason_cells(facts: Facts, month: date) -> dict[str | None, set[tuple[str | None, str]]]:
    """By reason: the people and teams with delivered work in a month, without bots and sandboxes."""
    found: dict[str | None, set[tuple[str | None, str]]] = defaultdict(set)
    for commit in facts.commits:
        if commit.delivered_at is None or commit.delivered_at.date().replace(day=1) != month:
            continue
        if commit.repository != facts.sandbox and commit.developer != facts.bot:
            for reason, *_ in facts.parts(commit):
                found[reason].add((facts.team_of_commit(commit), commit.developer))
    return found


@pytest.mark.parametrize("fewest", [2, 3])
def test_no_split_of_work_without_etv_reveals_few_people(
    owner: httpx.Client, moving: Facts, minimum_group_size: int, fewest: int
) -> None:
    owner.patch(f"{ROOT}/settings", json={"minimumGroupSize": fewest})
    seen = Counter[bool]()
    for month in MONTHS:
        days = {"startDate": month.isoformat(), "endDate": month.isoformat()}
        shown: list[str | None] = []
        for team in (None, *moving.teams):
            found = figures(owner, "zeroReasons", **days, **({"team": team} if team else {}))
            assert not any(one["largest"] for one in found["zeroReasons"])
            is_hidden = found["suppressedReason"] is not None
            seen[is_hidden] += 1
            if is_hidden:
                assert found["total"] is found["counted"] is None
                assert found["zeroReasons"] == found["warnings"] == []
            else:
                shown.append(team)
        for cells in reason_cells(moving, month).values():
            parts = [
                {cell for cell in cells if team is None or team in moving.and_above(cell[0])}
                for team in shown
            ]
            assert told([one for one in parts if one], fewest) == []
    assert seen[True]
    assert fewest > 2 or seen[False]


def test_warnings_name_no_repository_whose_split_is_hidden(
    owner: httpx.Client, moving: Facts, minimum_group_size: int
) -> None:
    for month in MONTHS:
        days = {"startDate": month.isoformat(), "endDate": month.isoformat()}
        whole = figures(owner, "zeroReasons", **days)
        for one in whole["warnings"]:
            alone = figures(owner, "zeroReasons", **days, repository=one["repositoryId"])
            assert alone["suppressedReason"] is None
        for team in moving.teams:
            assert figures(owner, "zeroReasons", **days, team=team)["warnings"] == []


def test_without_settings_nothing_is_hidden(owner: httpx.Client) -> None:
    for path in ("teams", "repositories", "developers"):
        answer = figures(owner, path, **WHOLE)
        assert all(one["suppressedReason"] is None for one in answer[path])
    assert team_id("Web") in {one["id"] for one in figures(owner, "teams")["teams"]}
