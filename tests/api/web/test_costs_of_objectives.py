"""The AI cost of an objective and of its parts says how sure it is, and since when use is recorded."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from api.web.drawing.figures import dollars, sure
from api.web.reading import Answer, OrganizationReader
from tests.api.web.own_organization import address, published
from tests.api.web.test_work import shown, told

__all__ = ["address", "published"]

SURE = "the links to its commits are 25 % sure; $10.00 of it is certain"


@pytest.fixture(scope="module")
def owner(browser_of: Callable[[str], httpx.Client]) -> httpx.Client:
    return browser_of("owner")


def spend(monkeypatch: pytest.MonkeyPatch, ids: list[str], first_week: str) -> list[str]:
    """Let the first of these cost money, and use begin in a week; the groupings that were asked for."""
    read, asked_for = OrganizationReader.read, []
    row = {"cost": 40.0, "certainCost": 10.0, "confidence": 0.25, "currency": "USD"}

    async def changed(self: OrganizationReader, path: str = "", **asked: Any) -> Answer:
        if path == "aiSpend/work":
            asked_for.append(asked["groupBy"])
            return Answer(200, {"work": [row | {"id": ids[0]}, row | {"id": "another", "confidence": 1.0}]})
        if path == "aiSpend":
            return Answer(200, {"aiSpend": [{"periodStart": first_week, "cost": 1.0}]})
        answer = await read(self, path, **asked)
        if path.startswith("objectives/"):
            answer.body.update({"aiCost": 40.0, "aiCostConfidence": 0.25})
        return answer

    monkeypatch.setattr(OrganizationReader, "read", changed)
    return asked_for


@pytest.mark.parametrize("level", ["OBJECTIVE", "SUB_OBJECTIVE"])
def test_a_cost_says_how_sure_it_is_and_since_when_use_is_recorded(
    owner: httpx.Client, monkeypatch: pytest.MonkeyPatch, level: str
) -> None:
    rows = told(owner, "objectives", level=level, pageSize=200)["objectives"]
    wholes = [told(owner, f"objectives/{one['id']}") for one in rows]
    one = next(one for one in wholes if one["firstDeliveredOn"] and (level == "OBJECTIVE" or one["issues"]))
    ids = [one["id"]] if level == "OBJECTIVE" else [issue["id"] for issue in one["issues"]]
    asked = spend(monkeypatch, ids, one["lastDeliveredOn"])
    text = shown(owner, f"objectives/{one['id']}").text
    assert SURE in text
    assert asked == ["OBJECTIVE" if level == "OBJECTIVE" else "ISSUE"]
    is_later = one["lastDeliveredOn"] > one["firstDeliveredOn"]
    assert ("use is recorded since" in text) is is_later
    spend(monkeypatch, ids, one["firstDeliveredOn"])
    assert "use is recorded since" not in shown(owner, f"objectives/{one['id']}").text


def test_the_list_says_of_each_cost_how_sure_it_is(owner: httpx.Client) -> None:
    rows = told(owner, "objectives", level="OBJECTIVE", pageSize=200, orderBy="etv desc")["objectives"]
    page = shown(owner, "objectives")
    costly = [one for one in rows if one["aiCost"] and one["aiCostConfidence"] < 1]
    assert costly
    for one in costly:
        assert page.row(one["title"])[2] == f"{dollars(one['aiCost'])}{sure(one)}".replace("\xa0", " ")
    free = next(one for one in rows if not one["aiCost"])
    assert "sure" not in page.row(free["title"])[2]
