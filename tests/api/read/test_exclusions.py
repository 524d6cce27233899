"""Only callers who may list exclusions see the reason of one. All others see that the commit is excluded."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import httpx
import pytest

from api.control.accounts.tokens import create_token
from tests.api.conftest import ROOT, Deployment, client_for, deploy
from tests.api.people import join, make_account, principal, sign_in
from tests.api.published_facts import ORGANIZATION, Commit, Facts
from tests.api.published_rows import write
from tests.api.scoped_deployment import make_lead, put_teams
from tests.api.scoped_facts import address, developer_id

NOTE, REASON = "confidential words about Ada", "FORMATTING"
TOLD, UNTOLD = ("owner", "admin", "operator's key"), ("member", "viewer", "lead", "viewer's key")


@pytest.fixture(scope="module")
def excluded(moving: Facts) -> Commit:
    return next(c for c in moving.commits if c.developer == developer_id("Ada") and c.changes)


@pytest.fixture(scope="module")
def deployed(tmp_path_factory: pytest.TempPathFactory, moving: Facts, excluded: Commit) -> Deployment:
    """The organization with one excluded commit of Ada's."""
    folder: Path = tmp_path_factory.mktemp("excluded")
    warehouse = write(moving, folder / "built.duckdb")
    with duckdb.connect(str(warehouse)) as connection:
        connection.execute(
            "update api_v1__commits set zero_reason = 'EXCLUDED_BY_HAND', exclusion_reason = ?, exclusion_note = ? "
            "where commit_id = ?",
            (REASON, NOTE, excluded.id),
        )
    deployment = deploy(folder / "data", moving, warehouse)
    put_teams(deployment, moving)
    deployment.publish()
    return deployment


@pytest.fixture(scope="module")
def callers(deployed: Deployment, address_of: str) -> Iterator[dict[str, httpx.Client]]:
    """Ada in each role; as a lead, she leads all teams."""
    store = deployed.store
    accounts = {
        role: join(store, ORGANIZATION, role, make_account(store)) for role in ("owner", "admin", "member")
    }
    accounts["viewer"] = join(store, ORGANIZATION, "viewer", make_account(store, address("Ada")))
    accounts["lead"] = make_lead(deployed, ("Engineering",))
    keys = {name: sign_in(store, account) for name, account in accounts.items()}
    viewer = principal(store, accounts["viewer"])
    keys["viewer's key"] = create_token(store, ORGANIZATION, "theirs", scope="write", actor=viewer).key
    keys["operator's key"] = deployed.key()
    clients = {name: client_for(address_of, key) for name, key in keys.items()}
    yield clients
    for client in clients.values():
        client.close()


def found(client: httpx.Client, path: str, **params: Any) -> dict[str, Any]:
    answer = client.get(f"{ROOT}/{path}", params=params)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def reads(excluded: Commit) -> list[tuple[str, dict[str, Any]]]:
    """Every read of the commit, by each copy of the table."""
    everything = {"pageSize": 1000}
    return [
        ("commits", everything),
        ("commits", everything | {"developer": excluded.developer}),
        ("commits", everything | {"repository": excluded.repository}),
        ("commits", everything | {"orderBy": "exclusionNote, exclusionReason desc"}),
        (f"commits/{excluded.id}", {}),
        (f"commits/{excluded.sha}", {}),
    ]


# Callers who may see the reason ask first, so that a cached answer for them would be found.
@pytest.mark.parametrize("caller", [*TOLD, *UNTOLD])
def test_callers_who_may_list_exclusions_see_reason_and_note(
    callers: dict[str, httpx.Client], excluded: Commit, caller: str
) -> None:
    client = callers[caller]
    may_list = client.get(f"{ROOT}/commitExclusions").status_code == 200
    assert may_list is (caller in TOLD)
    ways = reads(excluded)
    if caller == "viewer":
        ways += [(f"me/{path}", params) for path, params in ways if "repository" not in params]
    for path, params in ways:
        body = found(client, path, **params)
        shown = next(one for one in body.get("commits", [body]) if one["id"] == excluded.id)
        assert shown["zeroReason"] == "EXCLUDED_BY_HAND"
        expected = (REASON, NOTE) if may_list else (None, None)
        assert (shown["exclusionReason"], shown["exclusionNote"]) == expected
        assert may_list or (NOTE not in str(body) and REASON not in str(body))


@pytest.mark.parametrize("caller", [*TOLD, *UNTOLD])
def test_filters_and_order_tell_nothing_that_is_not_shown(
    callers: dict[str, httpx.Client], excluded: Commit, caller: str
) -> None:
    client = callers[caller]
    for condition in ('exclusionNote:"confidential"', f"exclusionReason = {REASON}", "exclusionNote:*"):
        ids = [one["id"] for one in found(client, "commits", filter=condition)["commits"]]
        assert ids == ([excluded.id] if caller in TOLD else []), condition
    first = found(client, "commits", orderBy="exclusionNote", pageSize=1)["commits"][0]["id"]
    plain = found(client, "commits", orderBy="id", pageSize=1)["commits"][0]["id"]
    assert first == (excluded.id if caller in TOLD else plain)
