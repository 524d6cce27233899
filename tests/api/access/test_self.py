"""Members see the same figures of themselves as their lead does, plus all of their own work, in every role."""

import shutil
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb
import httpx
import pytest

from api.control.models import Account
from tests.api.conftest import ROOT, Deployment, client_for, deploy, serving
from tests.api.people import join, make_account, sign_in
from tests.api.published_facts import ORGANIZATION, UNIT, Facts
from tests.api.pull_request_facts import pull_requests
from tests.api.scoped_deployment import RANGE, make_lead, put_teams
from tests.api.scoped_facts import NAMES, WHERE, address, developer_id, team_id

# Was in one team all along.
ADA = developer_id("Ada")


def found(client: httpx.Client, path: str, **params: Any) -> dict[str, Any]:
    answer = client.get(f"{ROOT}/{path}", params=params)
    assert answer.status_code == 200, (path, answer.text)
    return dict(answer.json())


def member(deployment: Deployment, name: str, role: str = "viewer") -> str:
    """The credential of a member with the address of a developer."""
    email = address(name)
    with deployment.store.session() as session:
        known = session.query(Account).filter_by(email_key=email).one_or_none()
        account = known.id if known else None
    if account is None:
        account = join(deployment.store, ORGANIZATION, role, make_account(deployment.store, email.upper()))
    return sign_in(deployment.store, account)


@pytest.fixture(scope="module")
def lead(deployed: Deployment, address_of: str) -> Iterator[httpx.Client]:
    """The lead of Ada's team. The lead is not a developer."""
    with client_for(address_of, sign_in(deployed.store, make_lead(deployed, ("Web",)))) as client:
        yield client


@pytest.fixture(scope="module")
def ada(deployed: Deployment, address_of: str) -> Iterator[httpx.Client]:
    with client_for(address_of, member(deployed, "Ada")) as client:
        yield client


def test_a_person_sees_the_same_figures_as_the_lead(lead: httpx.Client, ada: httpx.Client) -> None:
    theirs = found(lead, f"developers/{ADA}", **RANGE)
    own = found(ada, "me", **RANGE)["developer"]
    # How many commits came from each address is over all teams.
    for one in (theirs, own):
        one["addresses"] = [address | {"commits": None, "id": None} for address in one["addresses"]]
    assert own == theirs
    assert own["etv"] > 0


def test_a_person_sees_the_same_commits_rows_and_series_as_the_lead(
    lead: httpx.Client, ada: httpx.Client
) -> None:
    theirs = found(lead, "commits", developer=ADA, pageSize=1000)
    own = found(ada, "me/commits", pageSize=1000)
    assert own == theirs
    assert own["totalSize"] > 20
    for commit in own["commits"][:10]:
        whole = found(lead, f"commits/{commit['id']}")
        # Of those who share it one sees the own part.
        whole["credits"] = [credit for credit in whole["credits"] if credit["developerId"] == ADA]
        own_whole = found(ada, f"me/commits/{commit['id']}")
        # Of items of other teams a lead sees no texts.
        chains = [
            [(issue["itemId"], issue["etv"]) for issue in one.pop("issues")] for one in (own_whole, whole)
        ]
        assert chains[0] == chains[1]
        assert own_whole == whole
        path = f"commits/{commit['sha']}/files"
        assert found(ada, f"me/{path}") == found(lead, path)
    for params in (
        {"interval": "MONTH"},
        {"interval": "WEEK"},
        {"groupBy": "CATEGORY"},
        {"groupBy": "REPOSITORY"},
    ):
        theirs = found(lead, "metrics", **RANGE, **params, developer=ADA)
        own = found(ada, "me/metrics", **RANGE, **params)
        if params.get("groupBy") is None:
            assert own["series"] == theirs["series"]
        else:
            assert [line["key"] for line in own["series"]] == [line["key"] for line in theirs["series"]]
            assert [p["etv"] for line in own["series"] for p in line["points"]] == [
                p["etv"] for line in theirs["series"] for p in line["points"]
            ]
    rows = found(lead, "capex", includeDrafts=True, filter=f'developerId = "{ADA}"')["rows"]
    assert found(ada, "me/capex", includeDrafts=True)["rows"] == rows
    moved = found(lead, "movements", **RANGE, entity="DEVELOPER", id=ADA)["movements"]
    assert found(ada, "me/movements", **RANGE)["movements"] == moved
    assert rows
    assert moved


@pytest.mark.parametrize("name", [name for name in NAMES if name.isalpha() and name != "Ada"])
def test_a_person_who_moved_sees_all_of_their_own_work_and_nothing_else(
    deployed: Deployment, address_of: str, moving: Facts, name: str
) -> None:
    mine = [commit for commit in moving.commits if commit.developer == developer_id(name)]
    with client_for(address_of, member(deployed, name, "team_lead")) as client:
        me = found(client, "me", **RANGE)
        expected = sum(c.etv for commit in mine for c in commit.changes if not c.is_sandbox) / UNIT
        assert me["developer"]["id"] == developer_id(name)
        assert me["developer"]["etv"] == pytest.approx(expected, abs=1e-6)
        assert me["developer"]["commitCount"] == len(mine)
        assert me["role"] == "TEAM_LEAD"
        assert me["ledTeams"] == []
        teams = [(one["teamId"], one["startDate"]) for one in reversed(me["teams"])]
        assert teams == [(team_id(team), start.isoformat()) for start, team in WHERE[name] if team]
        ids = {commit["id"] for commit in found(client, "me/commits", pageSize=1000)["commits"]}
        assert ids == {commit.id for commit in mine}
        text = client.get(f"{ROOT}/me").text + client.get(f"{ROOT}/me/capex").text
        assert not any(developer_id(other) in text for other in NAMES if other != name)
        other = next(commit for commit in moving.commits if commit.developer != developer_id(name))
        assert client.get(f"{ROOT}/me/commits/{other.sha}").status_code == 404
        assert client.get(f"{ROOT}/me/commits/{other.sha[:9]}").status_code == 404
        own = found(client, f"me/commits/{mine[0].id}")
        assert found(client, f"me/commits/{mine[0].sha[:9]}") == own
        refused = client.get(f"{ROOT}/me/capex", params={"version": "LOCKED"})
        assert refused.status_code == 403
        # The role opens nothing of others.
        assert found(client, "developers")["developers"] == []


def test_a_caller_without_a_developer_gets_the_remedy(
    deployed: Deployment, address_of: str, lead: httpx.Client
) -> None:
    me = found(lead, "me")
    assert (me["developer"], me["teams"]) == (None, [])
    assert [team["name"] for team in me["ledTeams"]] == ["Web"]
    operator = deployed.key("operator's")
    with client_for(address_of, operator) as keyed:
        assert found(keyed, "me")["email"] is None
        for client in (lead, keyed):
            commits = ("commits", "commits/x", "commits/x/files")
            for path in (*commits, "metrics", "movements", "capex", "pullRequests", "pullRequests/x"):
                refused = client.get(f"{ROOT}/me/{path}")
                assert (refused.status_code, refused.json()["code"]) == (400, 9), path
                assert "verified address" in refused.json()["message"]


@pytest.mark.parametrize("name", ["Ada", "Linus"])
def test_own_commits_of_a_team_are_those_written_in_it_or_below(
    deployed: Deployment, address_of: str, moving: Facts, name: str
) -> None:
    mine = [commit for commit in moving.commits if commit.developer == developer_id(name)]
    with client_for(address_of, member(deployed, name)) as client:
        teams = {one["teamId"] for one in found(client, "me")["teams"]}
        assert teams
        for team in teams:
            expected = {c.id for c in mine if team in moving.and_above(moving.team_of_commit(c))}
            listed = found(client, "me/commits", team=team, pageSize=1000)["commits"]
            assert {commit["id"] for commit in listed} == expected
            assert expected


def test_a_share_of_another_s_commit_is_one_s_own_in_every_repository(
    tmp_path: Path, moving: Facts, deployed: Deployment
) -> None:
    mine = {commit.repository for commit in moving.commits if commit.developer == ADA}
    shared = next(key for key in moving.repositories if key not in {*mine, moving.sandbox})
    warehouse = Path(shutil.copy(deployed.warehouse, tmp_path / "shared.duckdb"))
    with duckdb.connect(str(warehouse)) as built:
        built.execute(
            "insert into api_v1__daily by name select * replace (? as repository_id, 7000000::bigint as etv_micro, "
            "false as is_sandbox) from api_v1__daily where developer_id = ? and not is_sandbox limit 1",
            (shared, ADA),
        )
    own = deploy(tmp_path / "data", moving, warehouse)
    own.publish()
    account = join(own.store, ORGANIZATION, "viewer", make_account(own.store, address("Ada")))
    with serving(own.data_dir) as served, client_for(served, sign_in(own.store, account)) as client:
        wide = {"startDate": "2020-01-01", "endDate": "2026-12-31", "interval": "YEAR"}
        lines = found(client, "me/metrics", **wide, groupBy="REPOSITORY")["series"]
        assert {line["key"] for line in lines} == {*mine, shared} - {moving.sandbox}
        [line] = found(client, "me/metrics", **wide, repository=shared)["series"]
        assert sum(point["etv"] for point in line["points"]) == 7


def test_before_the_first_build_role_and_teams_are_known(
    tmp_path: Path, moving: Facts, deployed: Deployment
) -> None:
    unbuilt = deploy(tmp_path / "data", moving, deployed.warehouse)
    put_teams(unbuilt, moving)
    token = sign_in(unbuilt.store, make_lead(unbuilt, ("Web",), "lead@acme.example"))
    with serving(unbuilt.data_dir) as served, client_for(served, token) as client:
        for params in ({}, RANGE):
            me = found(client, "me", **params)
            assert (me.pop("email"), me.pop("role")) == ("lead@acme.example", "TEAM_LEAD")
            assert [team["name"] for team in me.pop("ledTeams")] == ["Web"]
            assert me == {"developer": None, "teams": [], "startDate": None, "endDate": None}
        nothing = found(client, "me/commits")
        assert (nothing["commits"], nothing["totalSize"]) == ([], 0)
        assert "no published build yet" in nothing["nextStep"]
        unbuilt.publish()
        assert found(client, "me")["startDate"] is not None


@pytest.mark.both_databases
def test_an_unverified_address_identifies_no_developer(deployed: Deployment, address_of: str) -> None:
    """Otherwise anyone could sign up with a colleague's address and read that colleague's figures."""
    token = member(deployed, "Grace")

    def prove(at: datetime | None) -> None:
        with deployed.store.session() as session:
            session.query(Account).filter_by(email_key=address("Grace")).one().verified_at = at

    prove(None)
    with client_for(address_of, token) as client:
        assert found(client, "me")["developer"] is None
        assert client.get(f"{ROOT}/me/commits").status_code == 400
        prove(deployed.store.now())
        assert found(client, "me")["developer"]["id"] == developer_id("Grace")


@pytest.mark.parametrize("name", ["Ada", "Linus"])
def test_own_pull_requests_are_those_that_a_person_opened(
    deployed: Deployment, address_of: str, moving: Facts, name: str
) -> None:
    mine = {one.id: one for one in pull_requests(moving) if one.developer == developer_id(name)}
    with client_for(address_of, member(deployed, name)) as client:
        listed = found(client, "me/pullRequests", pageSize=1000)["pullRequests"]
        assert {one["id"] for one in listed} == set(mine)
        for key in list(mine)[:5]:
            one = found(client, f"me/pullRequests/{key}")
            assert [commit["id"] for commit in one["commits"]] == [commit.id for commit in mine[key].commits]
            assert not any(developer_id(other) in str(one) for other in NAMES if other != name)
        other = next(one for one in pull_requests(moving) if one.id not in mine)
        assert client.get(f"{ROOT}/me/pullRequests/{other.id}").status_code == 404
