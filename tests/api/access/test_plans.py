"""Objectives and issues for team leads, for small groups, and for a person's own work."""

from collections.abc import Iterator
from datetime import date
from itertools import combinations
from typing import Any

import duckdb
import httpx
import pytest

from api.access import plan_rows
from api.access.row_access import RowAccess
from api.snapshot.builds import Builds
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.moving_people import lead_of_some_or_none
from tests.api.people import join, make_account, sign_in
from tests.api.published_facts import ORGANIZATION, UNIT, Facts
from tests.api.published_plans import Item, Link, Plan, counted_links, make_plan, work
from tests.api.scoped_deployment import LeadView
from tests.api.scoped_facts import address, developer_id

MINIMUM = 3
LAST_COMPLETE = date(2026, 10, 31)
lead = lead_of_some_or_none


@pytest.fixture(scope="module")
def plan(moving: Facts) -> Plan:
    return make_plan(moving)


def get(client: httpx.Client, path: str, **params: Any) -> dict[str, Any]:
    answer = client.get(f"{ROOT}/{path}", params={"pageSize": 1000} | params if "/" not in path else params)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def visible(lead: LeadView, items: list[Item]) -> list[Item]:
    """The items that a lead may see."""
    return [
        item
        for item in items
        if item.team in lead.teams
        or (item.team is None and (item.repository is None or item.repository in lead.repositories))
    ]


def own_links(lead: LeadView, links: list[Link]) -> list[Link]:
    """Counted links of work that was written in the led teams."""
    visible_commits = {commit.id for commit in lead.commits}
    return [link for link in counted_links(lead.facts, links) if link.commit.id in visible_commits]


def test_a_lead_sees_objectives_of_all_and_of_led_teams_with_the_led_share(
    lead: LeadView, plan: Plan
) -> None:
    expected = {item.id: item for item in visible(lead, plan.objectives)}
    found = get(lead.client, "objectives")
    assert {row["id"] for row in found["objectives"]} == expected.keys()
    assert found["totalSize"] == len(expected)
    for row in found["objectives"]:
        item = expected[row["id"]]
        figures = work(own_links(lead, plan.reaching(item)))
        assert row["etv"] == figures["etv_micro"] / UNIT
        assert (row["commits"], row["contributorCount"]) == (figures["commits"], figures["contributor_count"])
        assert row["parentId"] == (item.parent.id if item.parent and item.parent.id in expected else None)
        parts = {one.id for one in plan.objectives if one.parent == item and one.id in expected}
        assert row["subObjectiveCount"] == len(parts)
        if item.number % 3 or item not in plan.told_apart:
            continue
        one = get(lead.client, f"objectives/{item.id}")
        assert {part["id"] for part in one["subObjectives"]} == parts
        assert sum(point["etv"] for point in one["etvOverTime"]["points"]) == pytest.approx(row["etv"])
        assert {person["developerId"] for person in one["contributors"]} <= lead.people
        assert sum(person["etv"] for person in one["contributors"]) == pytest.approx(row["etv"])
    tree = lead.client.get(f"{ROOT}/objectives:tree").json()["objectives"]
    assert {row["id"] for row in tree} == expected.keys()


def test_an_objective_or_issue_of_another_team_is_refused_with_the_reason(lead: LeadView, plan: Plan) -> None:
    nobody = "0190d3b0-0000-7000-8000-00000000dead"
    for path, items in (("objectives", plan.objectives), ("issues", plan.issues)):
        known = {item.id for item in visible(lead, items)}
        shapes = set()
        for key in [*[item.id for item in items if item.id not in known][:4], nobody]:
            name = path.removesuffix("s")
            for url in (f"{path}/{key}", f"commits?{name}={key}"):
                answer = lead.client.get(f"{ROOT}/{url}")
                assert (answer.status_code, answer.json()["code"]) == (403, 7), (url, answer.text)
                message = answer.json()["message"]
                assert "a team lead sees only the teams that they lead" in message
                assert "of the whole organization" in message
                shapes.add(message.replace(key, "…"))
        assert len(shapes) == 1


def test_a_lead_sees_issues_of_all_and_of_led_teams_with_the_led_share(lead: LeadView, plan: Plan) -> None:
    expected = {item.id: item for item in visible(lead, plan.issues)}
    rows = get(lead.client, "issues")["issues"]
    assert {row["id"] for row in rows} == expected.keys()
    commits = {commit.id for commit in lead.commits}
    objectives = {item.id for item in visible(lead, plan.objectives)}
    for row in rows:
        item = expected[row["id"]]
        links = [link for link in plan.links if link.item == item]
        figures = work(own_links(lead, links))
        assert (row["etv"], row["commits"]) == (figures["etv_micro"] / UNIT, figures["commits"])
        if item.number % 3:
            continue
        one = get(lead.client, f"issues/{item.id}")
        assert {commit["commitId"] for commit in one["linkedCommits"]} <= commits
        assert one["linkedCommitCount"] == sum(link.commit.id in commits for link in links)
        assert {above["id"] for above in one["chain"]} <= objectives | expected.keys()


def test_a_lead_s_commits_of_an_objective_are_those_of_the_led_share(lead: LeadView, plan: Plan) -> None:
    commits = {commit.id for commit in lead.commits}
    shown = visible(lead, plan.objectives)
    for item in [one for one in shown if one in plan.told_apart][::2]:
        expected = {link.commit.id for link in plan.reaching(item)} & commits
        # Work for a part that is another team's is found only through the part.
        hidden = [one for one in plan.below(item) if one.level != "issue" and one not in shown]
        through = {link.commit.id for part in hidden for link in plan.reaching(part)}
        found = {row["id"] for row in get(lead.client, "commits", objective=item.id)["commits"]}
        assert expected - through <= found <= expected


def test_the_chain_of_a_lead_s_commit_has_no_texts_of_other_teams(lead: LeadView, plan: Plan) -> None:
    shown = {item.title for item in visible(lead, plan.items)}
    hidden = {item.title for item in plan.items} - shown
    hidden |= {item.key for item in plan.items if item.title in hidden and item.repository}
    for commit in lead.commits[:: max(len(lead.commits) // 12, 1)]:
        answer = lead.client.get(f"{ROOT}/commits/{commit.id}")
        assert not [title for title in hidden if f'"{title}"' in answer.text]
        issues = answer.json()["issues"]
        assert [issue["itemId"] for issue in issues] == [
            link.item.id for link in plan.links if link.commit.id == commit.id
        ]
        for issue in issues:
            item = next(one for one in plan.items if one.id == issue["itemId"])
            assert issue["title"] == (item.title if item.title in shown else None)
    listed = lead.client.get(f"{ROOT}/issues").text + lead.client.get(f"{ROOT}/objectives").text
    assert not [title for title in hidden if f'"{title}"' in listed]


@pytest.fixture(scope="module")
def owner(deployed: Deployment, address_of: str) -> Iterator[httpx.Client]:
    account = join(deployed.store, ORGANIZATION, "owner")
    with client_for(address_of, sign_in(deployed.store, account)) as client:
        yield client


@pytest.fixture
def small_groups_hidden(owner: httpx.Client) -> Iterator[None]:
    changed = owner.patch(f"{ROOT}/settings", json={"minimumGroupSize": MINIMUM})
    assert changed.json()["minimumGroupSize"] == MINIMUM
    yield
    owner.patch(f"{ROOT}/settings", json={"minimumGroupSize": 0, "hasIndividualFigures": True})


def month_links(plan: Plan, item: Item, month: date) -> list[Link]:
    return [
        link
        for link in counted_links(plan.facts, plan.reaching(item))
        if link.commit.changes[0].day.replace(day=1) == month
    ]


@pytest.mark.usefixtures("small_groups_hidden")
def test_figures_of_objectives_of_few_people_are_hidden(owner: httpx.Client, plan: Plan) -> None:
    months = [date(2026, number, 1) for number in range(4, 11)]
    rows = {row["id"]: row for row in get(owner, "objectives")["objectives"]}
    hidden = shown = 0
    for item in plan.objectives:
        row = rows[item.id]
        by_month = {month: month_links(plan, item, month) for month in months}
        people = [len({link.commit.developer for link in links}) for links in by_month.values() if links]
        if row["suppressedReason"]:
            assert (row["etv"], row["commits"], row["contributorCount"], row["firstDeliveredOn"]) == (
                None,
            ) * 4
            hidden += 1
        else:
            assert all(number >= MINIMUM for number in people)
            complete = [link for links in by_month.values() for link in links]
            assert row["etv"] == sum(link.etv for link in complete) / UNIT
            shown += row["etv"] > 0
        if item not in plan.told_apart:
            continue
        one = get(owner, f"objectives/{item.id}", interval="WEEK")
        assert one["contributors"] == []
        assert one["etvOverTime"]["interval"] == "MONTH"
        for point in one["etvOverTime"]["points"]:
            links = by_month[date.fromisoformat(point["start"])]
            people_of_month = {link.commit.developer for link in links}
            if 0 < len(people_of_month) < MINIMUM:
                assert point["isSuppressed"]
            if point["isSuppressed"]:
                assert (point["etv"], point["commits"], point["contributorCount"]) == (None,) * 3
                assert point["cumulativeEtv"] is None
            else:
                assert point["etv"] == sum(link.etv for link in links) / UNIT
        assert date.fromisoformat(one["etvOverTime"]["endDate"] or "2026-10-31") <= LAST_COMPLETE
    assert hidden
    assert shown


@pytest.mark.usefixtures("small_groups_hidden")
def test_no_month_of_few_people_can_be_subtracted(owner: httpx.Client, plan: Plan) -> None:
    """An objective less its shown parts, and the goal less its shown objectives, is the work of enough people."""
    for item in plan.told_apart:
        parts = [one for one in plan.objectives if one.parent == item]
        of_item = {point["start"]: point for point in _points(owner, item)}
        of_parts = {part.id: {point["start"]: point for point in _points(owner, part)} for part in parts}
        for start, point in of_item.items():
            if point["isSuppressed"]:
                continue
            month = date.fromisoformat(start)
            open_parts = [
                part
                for part in parts
                if start in of_parts[part.id] and not of_parts[part.id][start]["isSuppressed"]
            ]
            for number in range(1, len(open_parts) + 1):
                for chosen in combinations(open_parts, number):
                    taken = {link for part in chosen for link in _keys(month_links(plan, part, month))}
                    rest = _keys(month_links(plan, item, month)) - taken
                    people = {developer for _, _, developer in rest}
                    assert not people or len(people) >= MINIMUM


def _points(client: httpx.Client, item: Item) -> list[dict[str, Any]]:
    return list(get(client, f"objectives/{item.id}", interval="MONTH")["etvOverTime"]["points"])


def _keys(links: list[Link]) -> set[tuple[str, str, str]]:
    return {(link.commit.id, link.item.id, link.commit.developer) for link in links}


@pytest.mark.usefixtures("small_groups_hidden")
def test_issues_name_nobody_where_small_groups_are_hidden(owner: httpx.Client, plan: Plan) -> None:
    for row in get(owner, "issues")["issues"]:
        assert {row[name] for name in ("assignee", "assigneeName", "creator", "etv", "commits")} == {None}
    found = get(owner, f"issues/{plan.issues[0].id}")
    assert (found["linkedCommits"], found["linkedCommitCount"]) == ([], None)
    assert {change["actor"] for change in found["statusHistory"]} == {None}
    assert get(owner, "issues", filter="assignee:login")["totalSize"] == 0
    refused = owner.get(f"{ROOT}/commits", params={"issue": plan.issues[0].id})
    assert (refused.status_code, refused.json()["code"]) == (403, 7)


def test_the_chain_of_an_own_commit_is_shown(
    deployed: Deployment, address_of: str, moving: Facts, plan: Plan
) -> None:
    account = join(deployed.store, ORGANIZATION, "viewer", make_account(deployed.store, address("Ada")))
    own = [link for link in plan.links if link.commit.developer == developer_id("Ada")]
    with client_for(address_of, sign_in(deployed.store, account)) as client:
        for link in own[::8]:
            issues = get(client, f"me/commits/{link.commit.id}")["issues"]
            assert link.item.title in {issue["title"] for issue in issues}
        objective = next(link.item for link in own if link.item.nearest("objective")).line[-1]
        listed = client.get(f"{ROOT}/me/commits", params={"objective": objective.id, "pageSize": 1000}).json()
        expected = {link.commit.id for link in own if objective in link.item.line}
        assert {row["id"] for row in listed["commits"]} == expected


def test_own_objectives_have_the_share_of_the_person(deployed: Deployment, plan: Plan) -> None:
    builds = Builds(deployed.data_dir / "published" / ORGANIZATION, 256)
    build = builds.lease_current()
    ada = developer_id("Ada")
    access = RowAccess(ORGANIZATION, own=ada)
    found = build.rows(f"select objective_id, etv_micro from {access.table(build, 'objectives')}")
    own = [link for link in plan.links if link.commit.developer == ada]
    expected = {
        item.id: sum(link.etv for link in counted_links(plan.facts, own) if item in link.item.line)
        for item in plan.objectives
        if any(item in link.item.line and link.commit.changes for link in own)
    }
    assert {row["objective_id"]: row["etv_micro"] for row in found} == expected
    builds.release(build)
    builds.close()


def test_a_correction_lifts_no_confidence_of_a_lead_above_one() -> None:
    with duckdb.connect() as store:
        for table in ("issues", "objectives"):
            store.execute(
                f"create table {table} as select 'a' as {table[:-1]}_id, null::varchar as parent_id, 0 as child_count, "
                "0 as etv_micro, 0 as commits, 0 as ai_cost_micro, 0 as ai_cost_confidence_micro, "
                "0 as contributor_count, null::date as first_delivered_on, null::date as last_delivered_on"
            )
        store.execute(
            "create table objective_days as select 'a' as objective_id, 0 as etv_micro, 0 as commits, "
            "'d' as developer_id, null::date as delivered_on, false as is_bot, false as is_sandbox"
        )
        store.execute(
            "create table commit_issues as select 'a' as item_id, null::varchar as sub_objective_id, "
            "'a' as objective_id, true as is_counted, false as is_sandbox, 0 as etv_micro, "
            "null::date as delivered_on, * from (values (10000000, 1000000), (-8000000, null), (2000000, 400000)) "
            "as costs (ai_cost_nano, ai_cost_confidence_micro)"
        )
        for query in (plan_rows.issues("true", "true"), plan_rows.objectives("true", "true")):
            found = store.sql(f"select ai_cost_micro, ai_cost_confidence_micro from ({query})").fetchall()
            assert found == [(4000, 900_000)]
