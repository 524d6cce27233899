"""The commits to confirm, compared with loops over the facts."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import date
from typing import Any

import httpx
import pytest

from api.access.row_access import RowAccess
from api.control.visibility import Visibility
from api.errors import PermissionDenied
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.published_facts import ORGANIZATION, Commit, Facts

JUDGED = ("features", "maintenance", "fixes")
DRAFT = date(2026, 11, 1)


def listed(client: httpx.Client, **params: Any) -> list[dict[str, Any]]:
    answer = client.get(f"{ROOT}/capex/uncertainCommits", params={"pageSize": 100} | params)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["uncertainCommits"]
    return found


def stakes(facts: Facts, *, drafts: bool = False) -> dict[str, tuple[Commit, int]]:
    """The effort with an uncertain category, by commit id."""
    found = {}
    for commit in facts.commits:
        effort = sum(change.effort for change in commit.changes if change.category in JUDGED)
        hidden = commit.developer == facts.bot or commit.repository == facts.sandbox
        if effort and not hidden and (drafts or commit.changes[0].day < DRAFT):
            found[commit.id] = commit, effort
    return found


def test_the_ten_on_which_most_depends_come_first(client: httpx.Client, facts: Facts) -> None:
    expected = stakes(facts)
    by_effort = sorted(expected, key=lambda key: (-(expected[key][1] // 2), key))
    answer = client.get(f"{ROOT}/capex/uncertainCommits").json()
    assert [row["commitId"] for row in answer["uncertainCommits"]] == by_effort[:10]
    assert answer["totalSize"] == len(by_effort) > 10
    assert answer["nextPageToken"]
    assert [row["commitId"] for row in listed(client)] == by_effort[:100]
    assert len(listed(client, pageSize=1000, includeDrafts=True)) <= 100


def test_each_row_has_the_effect_of_every_category(client: httpx.Client, facts: Facts) -> None:
    for row in listed(client):
        commit, effort = stakes(facts)[row["commitId"]]
        assert (row["commitSha"], row["subject"]) == (commit.sha, commit.subject)
        assert (row["developerId"], row["repositoryId"]) == (commit.developer, commit.repository)
        assert row["month"] == commit.changes[0].day.replace(day=1).isoformat()
        assert row["effort"] == pytest.approx(sum(change.effort for change in commit.changes) / 1e6)
        efforts = [row[f"{kind}CapitalizableEffort"] for kind in JUDGED]
        assert efforts == [pytest.approx(effort / 1e6), 0, 0]
        assert [row[f"{kind}Probability"] for kind in JUDGED] == [0.5, 0.3, 0.2]
        assert row["capitalizableEffort"] == (efforts[0] if row["category"] == "FEATURES" else 0)
        assert row["evidence"] == "subject:add"


@pytest.mark.parametrize("name", ["developer", "repository", "team"])
def test_it_narrows_to_people_repositories_and_teams(client: httpx.Client, facts: Facts, name: str) -> None:
    commits = [commit for commit, _ in stakes(facts).values()]
    of = {
        "developer": lambda commit: commit.developer,
        "repository": lambda commit: commit.repository,
        "team": facts.team_of_commit,
    }[name]
    seen = set()
    for wanted in {of(commit) for commit in commits} - {None}:
        if name == "team" and any(parent == wanted for _, parent, _ in facts.teams.values()):
            continue
        found = {row["commitId"] for row in listed(client, **{name: wanted})}
        assert found == {commit.id for commit in commits if of(commit) == wanted}
        seen |= found
    assert seen


def test_months_are_those_of_the_report(client: httpx.Client, facts: Facts) -> None:
    found = listed(client, startDate="2026-09-17", endDate="2026-09-18")
    expected = {key for key, (commit, _) in stakes(facts).items() if commit.changes[0].day.month == 9}
    assert {row["commitId"] for row in found} == expected
    drafts = {row["commitId"] for row in listed(client, startDate="2026-11-01", includeDrafts=True)}
    assert drafts == stakes(facts, drafts=True).keys() - stakes(facts).keys()
    assert drafts
    assert listed(client, startDate="2026-11-01") == []
    answer = client.get(
        f"{ROOT}/capex/uncertainCommits", params={"startDate": "2026-09-01", "endDate": "2026-08-01"}
    )
    assert answer.json()["details"][0]["fieldViolations"][0]["field"] == "endDate"


def test_the_path_of_each_takes_its_category(
    deployment: Deployment, serve: Callable[..., AbstractContextManager[str]]
) -> None:
    deployment.publish()
    key = deployment.key(scope="write")
    with serve(deployment.data_dir) as address, client_for(address, key) as client:
        first = listed(client)[0]
        answer = client.post(first["categorizePath"], json={"category": first["category"]})
        assert answer.status_code == 200, answer.text
        decided = {"commitId": first["commitId"], "commitSha": first["commitSha"]}
        assert answer.json() == decided | {"category": first["category"]}
        assert "X-Operation" in answer.headers


def test_it_is_closed_where_figures_of_single_people_are() -> None:
    scope = RowAccess.of(ORGANIZATION, Visibility(teams=None, minimum_group_size=3))
    with pytest.raises(PermissionDenied):
        scope.refuse_closed("uncertain_commits")
