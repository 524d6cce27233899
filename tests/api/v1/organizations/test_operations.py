"""Operations over HTTP: an answer to a change names them."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

import httpx
import pytest
from sqlalchemy import update
from sqlalchemy.exc import IntegrityError

from api.control.accounts.tokens import create_token
from api.control.commits import exclusions as commit_exclusions
from api.control.identities import developer_attributes, identities
from api.control.identities.known_developers import KnownDeveloper
from api.control.models import Operation
from api.control.operations import operations
from api.control.permissions import Role
from api.control.principals import OPERATOR
from api.control.teams import teams
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.people import join, principal, sign_in
from tests.api.published_facts import ORGANIZATION

Serve = Callable[..., AbstractContextManager[str]]


@pytest.fixture
def client(deployment: Deployment, serve: Serve) -> Iterator[httpx.Client]:
    with serve(deployment.data_dir) as address, client_for(address, deployment.key(scope="write")) as client:
        yield client


def test_an_answer_to_a_change_names_its_operation_and_the_build_ends_it(
    client: httpx.Client, deployment: Deployment
) -> None:
    made = client.post(f"{ROOT}/teams", json={"name": "Web"})
    found = client.get(f"{ROOT}/operations/{made.headers['X-Operation']}").json()
    assert (found["state"], found["action"], found["targetId"]) == (
        "PENDING",
        "teams.create",
        made.json()["id"],
    )
    assert found["buildId"] is None
    operations.include(
        deployment.store, ORGANIZATION, operations.current_watermark(deployment.store, ORGANIZATION), "b7"
    )
    found = client.get(f"{ROOT}/operations/{found['id']}").json()
    assert (found["state"], found["buildId"]) == ("DONE", "b7")


def test_a_refused_request_or_one_without_a_change_names_no_operation(client: httpx.Client) -> None:
    team = client.post(f"{ROOT}/teams", json={"name": "Web"}).json()["id"]
    for answer in (
        client.post(f"{ROOT}/teams", json={"name": "Web"}),
        client.patch(f"{ROOT}/teams/{team}", json={"name": "Web"}),
        client.get(f"{ROOT}/teams:tree"),
    ):
        assert "X-Operation" not in answer.headers
    assert client.get(f"{ROOT}/operations").json()["totalSize"] == 1


@pytest.mark.both_databases
def test_the_list_is_paged_and_filtered_by_state(client: httpx.Client, deployment: Deployment) -> None:
    for number in range(3):
        client.post(f"{ROOT}/teams", json={"name": f"Team {number}"})
    store = deployment.store
    operations.include(store, ORGANIZATION, operations.Watermark(1, store.now()), "b")
    page = client.get(f"{ROOT}/operations", params={"pageSize": 1, "state": "pending"}).json()
    assert (page["totalSize"], [one["position"] for one in page["operations"]]) == (2, [3])
    rest = client.get(
        f"{ROOT}/operations",
        params={"pageSize": 1, "state": "pending", "pageToken": page["nextPageToken"]},
    ).json()
    assert [one["position"] for one in rest["operations"]] == [2]
    assert client.get(f"{ROOT}/operations", params={"state": "odd"}).status_code == 400
    assert client.get(f"{ROOT}/operations/none").status_code == 404


def developer(key: str) -> KnownDeveloper:
    return KnownDeveloper(key, f"Name of {key}", f"{key}@secret.example", False, (key,), ())


def decided(deployment: Deployment) -> None:
    """An operation about a team, a commit, a developer and a merge, failed, with a result."""
    store = deployment.store
    teams.create_team(store, OPERATOR, ORGANIZATION, "Web")
    commit = commit_exclusions.NamedCommit("c1", "5ec4e7" + "0" * 34, "r1", "Subject", None)
    commit_exclusions.exclude(store, OPERATOR, ORGANIZATION, commit, commit_exclusions.ExclusionReason.IMPORT)
    ada, bob = developer("ada"), developer("bob")
    said: dict[developer_attributes.Attribute, developer_attributes.Value] = {
        developer_attributes.Attribute.ROLE: "Lead"
    }
    developer_attributes.change_attributes(store, OPERATOR, ORGANIZATION, ada, said, dates={})
    identities.merge_developers(store, OPERATOR, ORGANIZATION, [ada, bob])
    operations.fail(
        store,
        ORGANIZATION,
        operations.current_watermark(store, ORGANIZATION),
        "5ec4e7 of secret/path.py is not readable",
    )
    with store.session() as session:
        session.execute(update(Operation).values(result={"changedPaths": ["secret/path.py"]}))


@pytest.mark.parametrize("role", [role for role in Role if role is not Role.TEAM_LEAD])
@pytest.mark.parametrize("as_key", [False, True])
def test_people_commits_and_reasons_are_for_owners_and_admins(
    deployment: Deployment, serve: Serve, role: Role, as_key: bool
) -> None:
    decided(deployment)
    store = deployment.store
    account = join(store, ORGANIZATION, role)
    key = (
        create_token(store, ORGANIZATION, "key", actor=principal(store, account)).key
        if as_key
        else sign_in(store, account)
    )
    with serve(deployment.data_dir) as address, client_for(address, key) as client:
        listed = client.get(f"{ROOT}/operations").json()["operations"]
        single = [client.get(f"{ROOT}/operations/{one['id']}").json() for one in listed]
        assert single == listed
        text = client.get(f"{ROOT}/operations").text
    names = {one["targetKind"]: one["targetName"] for one in listed}
    assert names.keys() == {"team", "commit", "developer", "identityDecision"}
    assert {one["state"] for one in listed} == {"FAILED"}
    if role in (Role.OWNER, Role.ADMIN):
        assert all(names.values())
        assert {one["error"] for one in listed} == {"5ec4e7 of secret/path.py is not readable"}
        assert all(one["result"] == {"changedPaths": ["secret/path.py"]} for one in listed)
    else:
        assert names == {"team": "Web", "commit": None, "developer": None, "identityDecision": None}
        assert "Owners and admins" in listed[0]["error"]
        for secret in ("5ec4e7", "secret", "Name of"):
            assert secret not in text


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (
            str(
                IntegrityError(
                    "INSERT INTO mails (address) VALUES (?)",
                    ("a@secret.example",),
                    Exception("UNIQUE failed"),
                )
            ),
            "(builtins.Exception) UNIQUE failed",
        ),
        ("Binder Error: no column x\n\nLINE 1: select x from secret", "Binder Error: no column x"),
        ("insert into secret values (1) failed", None),
        ("(x) failed [SQL: select secret]", "(x) failed"),
        ("\n[SQL: select secret]", None),
        (
            "git@host: the network or the host failed: try again later",
            "git@host: the network or the host failed: try again later",
        ),
    ],
)
def test_no_caller_sees_an_sql_statement(
    client: httpx.Client, deployment: Deployment, error: str, shown: str | None
) -> None:
    client.post(f"{ROOT}/teams", json={"name": "Web"})
    operations.fail(
        deployment.store, ORGANIZATION, operations.current_watermark(deployment.store, ORGANIZATION), error
    )
    found = client.get(f"{ROOT}/operations").json()["operations"][0]["error"]
    assert "secret" not in found
    assert found == (
        shown or "The last run of the operation failed. The operator finds the reason in the log of the run."
    )
