"""Issues with the work of their commits, and the chains in both directions, compared with loops over the facts."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.api.conftest import ROOT
from tests.api.published_facts import UNIT, Facts
from tests.api.published_plans import Item, Link, Plan, alignment, counted_links, history, work

NOBODY = "0190d3b0-0000-7000-8000-00000000dead"


def answer(client: httpx.Client, path: str = "issues", **params: Any) -> dict[str, Any]:
    found = client.get(f"{ROOT}/{path}", params=params)
    assert found.status_code == 200, found.text
    return dict(found.json())


def ids(rows: list[dict[str, Any]]) -> set[str]:
    return {row["id"] for row in rows}


def test_each_issue_has_the_work_of_its_commits(client: httpx.Client, plan: Plan) -> None:
    found = {row["id"]: row for row in answer(client, pageSize=1000)["issues"]}
    assert found.keys() == {item.id for item in plan.issues}
    for item in plan.issues:
        row = found[item.id]
        expected = work(counted_links(plan.facts, [link for link in plan.links if link.item == item]))
        assert (row["etv"], row["commits"]) == (expected["etv_micro"] / UNIT, expected["commits"])
        day = expected["last_delivered_on"]
        assert row["lastDeliveredOn"] == (day and day.isoformat())
        objective, part = item.nearest("objective"), item.nearest("sub_objective")
        assert (row["objectiveId"], row["subObjectiveId"]) == (objective and objective.id, part and part.id)
        assert (row["key"], row["title"], row["isBug"]) == (item.key, item.title, item.number % 2 == 1)
        assert (row["assigneeName"], row["estimate"]) == (f"Person {item.number}", item.number)
    assert sum(row["etv"] > 0 for row in found.values()) > 5


SELECTIONS: list[tuple[dict[str, Any], Callable[[Item], bool]]] = [
    ({"statusCategory": ["DONE", "canceled"]}, lambda item: item.status in ("done", "canceled")),
    ({"bug": "true"}, lambda item: item.number % 2 == 1),
    ({"bug": "false"}, lambda item: item.number % 2 == 0),
    ({"reachesObjective": "true"}, lambda item: item.nearest("objective") is not None),
    ({"reaches_objective": "false"}, lambda item: item.nearest("objective") is None),
    ({"search": "ISSUE d1"}, lambda item: "Issue D1 " in item.title),
    ({"filter": "labels:urgent AND estimate > 5"}, lambda item: item.number % 2 == 1 and item.number > 5),
    ({"filter": "NOT repositoryId:*"}, lambda item: item.repository is None),
]


@pytest.mark.parametrize(("params", "keep"), SELECTIONS, ids=[str(one[0]) for one in SELECTIONS])
def test_a_selection_has_the_issues_that_fit(
    client: httpx.Client, plan: Plan, params: dict[str, Any], keep: Callable[[Item], bool]
) -> None:
    expected = {item.id for item in plan.issues if keep(item)}
    found = answer(client, **params)
    assert ids(found["issues"]) == expected
    assert found["totalSize"] == len(expected) > 0


def test_issues_are_selected_by_team_repository_parent_and_objective(
    client: httpx.Client, plan: Plan
) -> None:
    for team in plan.facts.teams:
        expected = {item.id for item in plan.issues if team in plan.facts.and_above(item.team)}
        assert ids(answer(client, team=team)["issues"]) == expected
    for repository in plan.facts.repositories:
        expected = {item.id for item in plan.issues if item.repository == repository}
        assert ids(answer(client, repository=repository)["issues"]) == expected
    for above in plan.items:
        expected = {item.id for item in plan.issues if item.parent == above}
        assert ids(answer(client, parent=above.id)["issues"]) == expected
    refused = client.get(f"{ROOT}/issues", params={"objective": plan.issues[0].id})
    assert (refused.status_code, "no objective" in refused.text) == (404, True)


def test_pages_have_all_issues_last_change_first(client: httpx.Client, plan: Plan) -> None:
    expected = sorted(plan.issues, key=lambda item: (-(item.number % 3), item.id))
    found: list[str] = []
    token = ""
    while True:
        page = answer(client, pageSize=4, pageToken=token)
        found += [row["id"] for row in page["issues"]]
        token = page["nextPageToken"]
        if not token:
            break
    assert found == [item.id for item in expected]


def test_an_issue_has_the_chain_up_to_its_objective(client: httpx.Client, plan: Plan) -> None:
    lengths = set()
    for item in plan.issues:
        chain = answer(client, f"issues/{item.id.upper()}")["chain"]
        assert [(one["id"], one["level"], one["title"]) for one in chain] == [
            (above.id, above.level.upper(), above.title) for above in item.line[1:]
        ]
        lengths.add(len(chain))
    assert lengths >= {0, 1, 2, 3}


def test_an_issue_has_its_status_history_oldest_first(client: httpx.Client, plan: Plan) -> None:
    for item in plan.issues:
        shown = answer(client, f"issues/{item.id}")["statusHistory"]
        expected = [change for change in reversed(history(item)) if change["field"] == "status"]
        assert [(one["before"], one["after"], one["afterCategory"], one["actor"]) for one in shown] == [
            (one["before"], one["after"], one["after_category"].upper(), one["actor"]) for one in expected
        ]
        assert [one["at"] for one in shown] == [f"{one['at']:%Y-%m-%dT%H:%M:%SZ}" for one in expected]
        assert shown


def test_an_issue_has_its_commits_with_the_evidence_of_each_link(client: httpx.Client, plan: Plan) -> None:
    links: dict[str, list[Link]] = defaultdict(list)
    for link in plan.links:
        links[link.item.id].append(link)
    for item in plan.issues:
        found = answer(client, f"issues/{item.id}")
        own = links[item.id]
        assert found["linkedCommitCount"] == len(own)
        assert len(found["linkedCommits"]) == min(len(own), 100)
        by_commit = {link.commit.id: link for link in own}
        for row in found["linkedCommits"]:
            link = by_commit[row["commitId"]]
            assert (row["commitSha"], row["subject"]) == (link.commit.sha, link.commit.subject)
            assert (row["foundIn"], row["issueCount"]) == (link.found_in.upper(), link.of)
            assert row["etv"] == link.etv / UNIT
            assert row["developerName"] == plan.facts.developers[link.commit.developer]
        times = [row["deliveredAt"] or "" for row in found["linkedCommits"]]
        assert times == sorted(times, reverse=True)
        listed = answer(client, "commits", issue=item.id, pageSize=1000)
        assert ids(listed["commits"]) == by_commit.keys()


def test_a_commit_has_its_issues_with_their_chains(client: httpx.Client, plan: Plan) -> None:
    links: dict[str, list[Link]] = defaultdict(list)
    for link in plan.links:
        links[link.commit.id].append(link)
    shown = 0
    for commit in plan.facts.commits[::3]:
        found = answer(client, f"commits/{commit.id}")
        expected = links[commit.id]
        assert [issue["itemId"] for issue in found["issues"]] == [link.item.id for link in expected]
        for issue, link in zip(found["issues"], expected, strict=True):
            objective, part = link.item.nearest("objective"), link.item.nearest("sub_objective")
            assert (issue["objectiveId"], issue["objectiveTitle"]) == (
                (objective.id, objective.title) if objective else (None, None)
            )
            assert (issue["subObjectiveId"], issue["subObjectiveTitle"]) == (
                (part.id, part.title) if part else (None, None)
            )
            assert (issue["level"], issue["key"], issue["title"]) == (
                link.item.level.upper(), link.item.key, link.item.title,
            )  # fmt: skip
            assert (issue["foundIn"], issue["place"], issue["issueCount"]) == (
                link.found_in.upper(), link.place, link.of,
            )  # fmt: skip
            assert issue["etv"] == link.etv / UNIT
            shown += 1
        if commit.changes and expected:
            assert sum(issue["etv"] for issue in found["issues"]) == pytest.approx(found["etv"], abs=1e-9)
    assert shown > 20


def test_commits_say_whether_they_are_aligned_and_why_they_are_not(client: httpx.Client, plan: Plan) -> None:
    commits = {commit.id: commit for commit in plan.facts.commits}
    for row in answer(client, "commits", pageSize=1000)["commits"]:
        expected = alignment(commits[row["id"]])
        shown = row["isAligned"], row["reachesObjective"], row["alignmentReason"]
        assert shown == tuple(expected.values())
        assert row["isAligned"] == any(link.commit.id == row["id"] for link in plan.links)


UNALIGNED: list[tuple[dict[str, str], Callable[[dict[str, Any]], bool]]] = [
    ({"aligned": "false"}, lambda own: not own["is_aligned"]),
    ({"aligned": "true"}, lambda own: own["is_aligned"]),
    ({"filter": "alignmentReason = NO_REFERENCE"}, lambda own: own["alignment_reason"] == "NO_REFERENCE"),
    ({"aligned": "false", "filter": "alignmentReason = unknown_issue"},
     lambda own: own["alignment_reason"] == "UNKNOWN_ISSUE"),
    ({"reachesObjective": "true"}, lambda own: own["reaches_objective"]),
    ({"reachesObjective": "false"}, lambda own: not own["reaches_objective"]),
    ({"aligned": "true", "reachesObjective": "false"},
     lambda own: own["is_aligned"] and not own["reaches_objective"]),
    ({"filter": "isAligned = true AND reachesObjective = false"},
     lambda own: own["is_aligned"] and not own["reaches_objective"]),
]  # fmt: skip


@pytest.mark.parametrize(("params", "keep"), UNALIGNED, ids=[str(one[0]) for one in UNALIGNED])
def test_unaligned_work_can_be_listed(
    client: httpx.Client, facts: Facts, params: dict[str, str], keep: Callable[[dict[str, Any]], bool]
) -> None:
    expected = {commit.id for commit in facts.commits if keep(alignment(commit))}
    found = answer(client, "commits", pageSize=1000, **params)
    assert ids(found["commits"]) == expected
    assert found["totalSize"] == len(expected) > 5


def test_commits_of_an_objective_are_those_of_everything_below_it(client: httpx.Client, plan: Plan) -> None:
    for item in plan.objectives:
        expected = {link.commit.id for link in plan.reaching(item)}
        found = answer(client, "commits", objective=item.id, pageSize=1000)
        assert ids(found["commits"]) == expected
    by_developer: dict[str, set[str]] = defaultdict(set)
    objective = plan.objectives[0]
    for link in plan.reaching(objective):
        by_developer[link.commit.developer].add(link.commit.id)
    for developer, own in by_developer.items():
        listed = answer(client, "commits", objective=objective.id, developer=developer, pageSize=1000)
        assert ids(listed["commits"]) == own


def test_commits_of_an_unknown_issue_or_objective_are_not_found(client: httpx.Client) -> None:
    for name in ("issue", "objective"):
        refused = client.get(f"{ROOT}/commits", params={name: NOBODY})
        assert (refused.status_code, f"no {name} {NOBODY!r}" in refused.json()["message"]) == (404, True)


def test_unaligned_commits_have_the_unaligned_etv(client: httpx.Client, facts: Facts) -> None:
    counted = [c for c in facts.commits if c.developer != facts.bot and c.repository != facts.sandbox]
    unaligned = sum(commit.etv for commit in counted if not alignment(commit)["is_aligned"]) / UNIT
    listed = answer(client, "commits", aligned="false", counted="true", pageSize=1000)["commits"]
    assert sum(row["etv"] for row in listed) == pytest.approx(unaligned)
    wide = {"startDate": "2026-01-01", "endDate": "2026-11-20", "interval": "YEAR"}
    (point,) = answer(client, "metrics", **wide, metrics="unalignedEtv")["series"][0]["points"]
    assert point["unalignedEtv"] == pytest.approx(unaligned)
