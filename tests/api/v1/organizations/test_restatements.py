"""The list of totals before and after a change of the rules."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import date

import httpx
import pytest

from api.control.operations import restatements
from api.control.operations.restatements import LAST_12_MONTHS, WHOLE_HISTORY, RestatedPeriod, Totals
from api.control.organizations import organizations
from api.control.principals import OPERATOR
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.people import join, make_account, sign_in
from tests.api.published_facts import ORGANIZATION

DAYS = (date(2025, 11, 1), date(2026, 10, 31))
Serve = Callable[..., AbstractContextManager[str]]


@pytest.fixture
def own_address(deployment: Deployment, serve: Serve) -> Iterator[str]:
    """A server over a deployment for one test."""
    with serve(deployment.data_dir) as address:
        yield address


@pytest.fixture
def client(deployment: Deployment, own_address: str) -> Iterator[httpx.Client]:
    with client_for(own_address, deployment.key()) as client:
        yield client


def totals(etv: int, *, fewest: int = 3) -> Totals:
    categories = {"features": etv - 2, "maintenance": 0, "tests": 2, "documentation": 0, "fixes": 0}
    return Totals(etv, etv, 7, 4, fewest, categories, {"IMPORT": 5}, {"IMPORT": 900})


def restate(deployed: Deployment, number: int, *, fewest: int = 3, before: Totals | None = None) -> None:
    after = totals(number * 1_000_000, fewest=fewest)
    restatements.restate(
        deployed.store,
        ORGANIZATION,
        (f"b{number}", f"b{number + 1}"),
        (f"0.{number}.0", f"0.{number + 1}.0"),
        ["version", "code", "facts"],
        [
            RestatedPeriod(WHOLE_HISTORY, None, date(2026, 11, 20), before, after),
            RestatedPeriod(LAST_12_MONTHS, *DAYS, totals(1_000_000, fewest=fewest), after),
        ],
    )


@pytest.mark.both_databases
def test_restatements_are_listed_newest_first_and_paged(client: httpx.Client, deployment: Deployment) -> None:
    for number in (1, 2, 3):
        restate(deployment, number)
    seen, token = [], ""
    while True:
        page = client.get(f"{ROOT}/restatements", params={"pageSize": 2, "pageToken": token}).json()
        assert page["totalSize"] == 3
        seen += page["restatements"]
        token = page["nextPageToken"]
        if not token:
            break
    assert [one["calculationVersionAfter"] for one in seen] == ["0.4.0", "0.3.0", "0.2.0"]
    last = seen[-1]
    assert (last["replacedBuildId"], last["buildId"]) == ("b1", "b2")
    assert last["causes"] == ["VERSION", "RULES", "FACTS"]
    whole, year = last["periods"]
    assert (whole["period"], whole["startDate"], whole["before"]) == ("WHOLE_HISTORY", None, None)
    assert (year["startDate"], year["endDate"]) == ("2025-11-01", "2026-10-31")
    assert year["before"] == whole["after"] == {
        "etv": 1.0, "effort": 1.0, "commits": 7, "developers": 4,
        "etvByCategory": {
            "features": 0.999998, "maintenance": 0.0, "tests": 0.000002, "documentation": 0.0, "fixes": 0.0,
        },
        "earnedNothing": [{"reason": "IMPORT", "commits": 5, "linesAdded": 900}],
    }  # fmt: skip


@pytest.mark.parametrize(("least", "is_shown"), [(3, True), (4, False)])
def test_with_a_minimum_group_size_totals_of_whole_months_alone_are_shown(
    client: httpx.Client, deployment: Deployment, least: int, is_shown: bool
) -> None:
    restate(deployment, 1, before=totals(5_000_000))
    changes = {"minimum_group_size": least}
    organizations.change_settings(deployment.store, OPERATOR, ORGANIZATION, changes)
    [one] = client.get(f"{ROOT}/restatements").json()["restatements"]
    whole, year = one["periods"]
    # It reaches into the running month: two of them a day apart would tell what one person did.
    assert (whole["before"], whole["after"]) == (None, None)
    for side in (year["before"], year["after"]):
        assert (side is not None) == is_shown
        if side is not None:
            assert (side["etv"], side["etvByCategory"], side["earnedNothing"]) == (1.0, None, None)


def test_a_team_lead_does_not_see_movements_of_the_whole_organization(
    deployment: Deployment, own_address: str
) -> None:
    restate(deployment, 1)
    for role, status in (("team_lead", 403), ("viewer", 200)):
        account = join(
            deployment.store, ORGANIZATION, role, make_account(deployment.store, f"{role}@x.example")
        )
        with client_for(own_address, sign_in(deployment.store, account)) as caller:
            assert caller.get(f"{ROOT}/restatements").status_code == status
