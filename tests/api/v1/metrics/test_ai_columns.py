"""Settings that remove columns about AI from lists of developers, repositories and teams."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

import httpx
import pytest

from tests.api.conftest import ROOT, Deployment, client_for

Serve = Callable[..., AbstractContextManager[str]]
TABLES = {
    "developers": "hasAiDeveloperColumns",
    "repositories": "hasAiRepositoryColumns",
    "teams": "hasAiTeamColumns",
}
AI = {
    "aiShareAtLeast", "aiCommits", "aiCost", "aiCostPerEtv", "aiTokens", "aiActiveDays", "aiSessions",
    "aiLinesSuggested", "aiLinesAccepted",
}  # fmt: skip
GROUPS = {"developers": "DEVELOPER", "repositories": "REPOSITORY", "teams": "TEAM"}
PARAMETERS = {"developers": "developer", "repositories": "repository", "teams": "team"}


@pytest.fixture
def client(deployment: Deployment, serve: Serve) -> Iterator[httpx.Client]:
    deployment.publish()
    with serve(deployment.data_dir) as address, client_for(address, deployment.key(scope="write")) as client:
        yield client


def listed(client: httpx.Client, table: str, **params: str) -> dict[str, Any]:
    answer = client.get(
        f"{ROOT}/{table}", params={"startDate": "2026-05-01", "endDate": "2026-11-15"} | params
    )
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


@pytest.mark.parametrize("table", TABLES)
def test_a_table_has_no_ai_columns_from_the_moment_they_are_switched_off(
    client: httpx.Client, table: str
) -> None:
    before = {name: listed(client, name) for name in TABLES}
    first = listed(client, table, pageSize="1", orderBy="aiCommits desc")["nextPageToken"]
    assert client.patch(f"{ROOT}/settings", json={TABLES[table]: False}).status_code == 200
    after = {name: listed(client, name) for name in TABLES}
    for name, answer in before.items():
        without = AI if name == table else set()
        rows = [{key: row[key] for key in row.keys() - without} for row in answer[name]]
        assert all(row.keys() >= AI - without for row in rows)
        assert after[name][name] == rows
        if "totals" in answer:
            assert after[name]["totals"] == {
                key: value for key, value in answer["totals"].items() if key not in without
            }
    # Lines by the same groups would show the columns that the table hides.
    group = {"groupBy": GROUPS[table]}
    by_group = client.get(f"{ROOT}/metrics", params=group).json()["series"]
    assert all(AI.isdisjoint(point) for line in by_group for point in line["points"])
    assert client.get(f"{ROOT}/metrics", params=group | {"metrics": "aiCost"}).status_code == 400
    # So would a line of one of them alone, and pull requests of it.
    selected = {PARAMETERS[table]: after[table][table][0]["id"]}
    for series, metric in (("metrics", "aiCost"), ("pullRequestMetrics", "aiPullRequestShareAtLeast")):
        for narrowed in (group, selected):
            lines = client.get(f"{ROOT}/{series}", params=narrowed).json()["series"]
            assert all(metric not in point for line in lines for point in line["points"])
            assert client.get(f"{ROOT}/{series}", params=narrowed | {"metrics": metric}).status_code == 400
    if table != "repositories":
        assert client.get(f"{ROOT}/aiSpend", params=group).status_code == 400
    for params in ({"orderBy": "aiCommits"}, {"filter": "aiShareAtLeast > 0"}, {"pageToken": first}):
        assert client.get(f"{ROOT}/{table}", params=params).status_code == 400
    assert client.get(f"{ROOT}/metrics").json()["series"][0]["points"][0].keys() >= AI
    assert client.patch(f"{ROOT}/settings", json={TABLES[table]: True}).status_code == 200
    assert listed(client, table) == before[table]
