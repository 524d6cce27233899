"""The page of benchmarks has the figures of `/api/v1`; its forms save and delete what the interface then answers."""

from collections.abc import Callable, Iterator
from datetime import date

import httpx
import pytest
from starlette.datastructures import QueryParams

from api.web.details.benchmarks import performance_in
from api.web.drawing.periods import period_of
from tests.api.web.conftest import HOME
from tests.api.web.own_organization import address, published
from tests.api.web.test_details import DAYS, send, shown, told

__all__ = ["address", "published"]

PAGE = "benchmarks"


@pytest.fixture(scope="module")
def owner(browser_of: Callable[[str], httpx.Client]) -> httpx.Client:
    return browser_of("owner")


@pytest.fixture
def members(owner: httpx.Client) -> Iterator[list[str]]:
    """Two developers; the groups that a test saves are deleted after it."""
    yield [one["id"] for one in told(owner, "developers", pageSize=2, **DAYS)["developers"]]
    for one in told(owner, PAGE)["benchmarks"]:
        send(owner, PAGE, "delete", benchmark=one["id"])


def test_benchmarks_are_those_of_the_interface(owner: httpx.Client) -> None:
    page = shown(owner, "benchmarks", **DAYS)
    answer = told(owner, "developers", pageSize=1, benchmark="ORGANIZATION_AVERAGE", **DAYS)
    average = answer["benchmark"]
    assert page.row("Organization average")[1] == f"{average['etv']:,.1f}"
    assert f"The average of the developers is {average['etv']:,.1f} ETV" in page.text
    assert (
        f"average of {average['memberCount']:,} developers: the same people as above, each counted alike"
        in page.text
    )
    assert page.row("The whole organization")[1] == f"{answer['totals']['etv']:,.1f}"
    assert "No group of developers is saved" in page.text


def test_a_group_is_saved_compared_and_deleted_by_forms(owner: httpx.Client, members: list[str]) -> None:
    sent = {"name": " Core ", "memberKind": "DEVELOPER", "aggregation": "MEDIAN", "percentile": ""}
    assert send(owner, PAGE, "save", **sent, memberIds=members).status_code == 303
    [saved] = told(owner, PAGE)["benchmarks"]
    assert (saved["name"], sorted(saved["memberIds"]), saved["aggregation"]) == (
        "Core",
        sorted(members),
        "MEDIAN",
    )
    page = shown(owner, PAGE, **DAYS)
    figures = told(owner, "developers", pageSize=1, benchmark=saved["id"], **DAYS)["benchmark"]
    assert f"{figures['etv']:,.1f}" in page.text
    assert "median of 2 developers" in page.text
    assert send(owner, PAGE, "delete", benchmark=saved["id"]).status_code == 303
    assert told(owner, PAGE)["benchmarks"] == []


def test_a_percentile_is_a_number_of_the_group(owner: httpx.Client, members: list[str]) -> None:
    sent = {"name": "High", "memberKind": "DEVELOPER", "aggregation": "PERCENTILE", "percentile": "90"}
    assert send(owner, PAGE, "save", **sent, memberIds=members).status_code == 303
    [saved] = told(owner, PAGE)["benchmarks"]
    assert (saved["aggregation"], saved["percentile"]) == ("PERCENTILE", 90)


@pytest.mark.parametrize(
    ("changed", "field"),
    [({"name": ""}, "name"), ({"percentile": "many"}, "percentile"), ({"memberIds": ""}, "memberIds")],
)
def test_a_refused_group_keeps_what_was_typed_and_says_why(
    owner: httpx.Client, members: list[str], changed: dict[str, str], field: str
) -> None:
    sent = {"name": "Kept <b>", "memberKind": "DEVELOPER", "aggregation": "PERCENTILE", "percentile": "90"}
    refused = send(owner, PAGE, "save", **(sent | {"memberIds": members} | changed))
    assert refused.status_code == 422
    assert f'id="save-{field}-note" class="bad small"' in refused.text
    assert "name" in changed or "Kept &lt;b&gt;" in refused.text
    if field != "memberIds":
        assert all(f'value="{one}" checked' in refused.text for one in members)
    assert told(owner, PAGE)["benchmarks"] == []


def test_a_forged_form_and_a_member_save_nothing(
    owner: httpx.Client, members: list[str], browser_of: Callable[[str], httpx.Client]
) -> None:
    sent = {"name": "No", "memberKind": "DEVELOPER", "aggregation": "MEDIAN", "memberIds": members}
    assert owner.post(f"{HOME}/{PAGE}", data=sent | {"token": "forged", "act": "save"}).status_code == 403
    assert "Save a group" not in shown(browser_of("member"), PAGE, **DAYS).text
    assert told(owner, PAGE)["benchmarks"] == []


def test_a_group_of_everybody_says_that_its_people_are_those_above(
    owner: httpx.Client, members: list[str]
) -> None:
    figures = told(owner, "developers", pageSize=200, benchmark="ORGANIZATION_AVERAGE", **DAYS)
    number = figures["benchmark"]["memberCount"]
    every = [one["id"] for one in figures["developers"]]
    for name, aggregation, ids in (
        ("All", "AVERAGE", every),
        ("Middle", "MEDIAN", every),
        ("Two", "MEDIAN", members),
    ):
        sent = {"name": name, "memberKind": "DEVELOPER", "aggregation": aggregation, "percentile": ""}
        assert send(owner, PAGE, "save", **sent, memberIds=ids).status_code == 303
    page = shown(owner, PAGE, **DAYS)
    assert (
        f"average of {number} developers: all people that there are, the same average as above"
        in page.row("All")[0]
    )
    assert (
        f"median of {number} developers: all people that there are, another figure of them"
        in page.row("Middle")[0]
    )
    assert "all people" not in page.row("Two")[0]


@pytest.mark.parametrize(("is_mixed", "told_as"), [(True, "average of the whole range"), (False, "")])
def test_a_performance_of_the_range_is_marked_beside_one_of_a_week(is_mixed: bool, told_as: str) -> None:
    period = period_of(QueryParams(), date(2026, 11, 30))
    row = {"id": "a", "performance": 47.0}
    assert performance_in(period, row, {}, is_mixed=is_mixed) == (47.0, told_as)
    assert performance_in(period, {"refusal": "no"}, {}, is_mixed=is_mixed) == (None, "")
