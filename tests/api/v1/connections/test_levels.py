"""Levels and teams of a tracker over HTTP."""

from typing import Any

import httpx
import pytest

from api.control.connections.connections import NewConnection, add_connection
from api.control.connections.sync_status import note_contents
from api.control.principals import OPERATOR
from ingest.connections.model import Checked
from ingest.connections.trackers.tracker import Tracker
from ingest.providers import registry as providers
from tests.api.conftest import ROOT, Deployment
from tests.api.published_facts import ORGANIZATION
from tests.api.v1.connections.conftest import ADDRESS, HOST, TOKEN

LEVELS = {"portfolio": "objective", "project": "sub_objective", "task": "issue"}


class Planner(Tracker):
    """A tracker with levels that people edit."""

    kind, title, default_address = "PLANNER", "Planner", ADDRESS
    options = {"workspace": "Name of the workspace."}  # noqa: RUF012 # a class variable of the base
    levels, levels_are_editable, needs_user = LEVELS, True, True

    def login(self, connection: Any) -> Any:
        raise AssertionError("not asked")

    def check(self, client: Any, connection: Any) -> Checked:
        raise AssertionError("not asked")

    def streams(self, client: Any, connection: Any, repositories: Any) -> Any:
        return iter(())


@pytest.fixture(autouse=True)
def _planner(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(providers.BY_KIND, "PLANNER", Planner())
    monkeypatch.setattr(providers, "PROVIDERS", (*providers.PROVIDERS, Planner()))


def connect(deployment: Deployment, kind: str = "PLANNER", **values: Any) -> str:
    given: dict[str, Any] = {"category": "trackers", "default_levels": LEVELS, "name": "Planner"} | values
    new = NewConnection(kind=kind, address=ADDRESS, secret=TOKEN, **given)
    return f"{ROOT}/connections/{add_connection(deployment.store, OPERATOR, ORGANIZATION, new).id}"


@pytest.fixture
def tracker(deployment: Deployment) -> str:
    """The path of a tracker that was read."""
    path = connect(deployment)
    counts = {"portfolio": 2, "project": 10, "task": 300}
    note_contents(
        deployment.store, ORGANIZATION, path.rpartition("/")[2], item_counts=counts, team_names={"1": "Web"}
    )
    return path


def named(answer: httpx.Response) -> dict[str, str]:
    assert answer.status_code == 200, answer.text
    return {one["itemKind"]: one["level"] for one in answer.json()["levels"]}


def test_other_levels_are_previewed_set_and_taken_back(admin: httpx.Client, tracker: str) -> None:
    before = admin.get(f"{tracker}/levels")
    assert named(before) == {"portfolio": "OBJECTIVE", "project": "SUB_OBJECTIVE", "task": "ISSUE"}
    assert before.json()["isEditable"]
    wanted = {"levels": [{"itemKind": "project", "level": "ignored"}]}
    preview = admin.post(f"{tracker}/levels:preview", json=wanted).json()
    moved = {one["level"]: (one["itemsBefore"], one["itemsAfter"]) for one in preview["levels"]}
    assert moved == {"OBJECTIVE": (2, 2), "SUB_OBJECTIVE": (10, 0), "ISSUE": (300, 300), "IGNORED": (0, 10)}
    assert preview["countedAt"] is not None
    assert admin.get(f"{tracker}/levels").json() == before.json()
    changed = admin.put(f"{tracker}/levels", json=wanted)
    assert named(changed)["project"] == "IGNORED"
    operation = admin.get(f"{ROOT}/operations/{changed.headers['X-Operation']}").json()
    assert operation["action"] == "connections.updateLevels"
    assert named(admin.put(f"{tracker}/levels", json={"levels": []})) == named(before)


def test_a_preview_before_the_first_sync_says_that_nothing_was_counted(
    admin: httpx.Client, deployment: Deployment
) -> None:
    path = connect(deployment)
    preview = admin.post(f"{path}/levels:preview", json={"levels": []}).json()
    assert preview["countedAt"] is None
    assert [one["items"] for one in admin.get(f"{path}/levels").json()["levels"]] == [None, None, None]


@pytest.mark.parametrize(
    ("levels", "told"),
    [
        ([{"itemKind": "goal", "level": "ISSUE"}], "no kind of item"),
        ([{"itemKind": "task", "level": "EPIC"}], "OBJECTIVE, SUB_OBJECTIVE, ISSUE, IGNORED"),
        ([{"itemKind": "task", "level": "ISSUE"}, {"itemKind": "task", "level": "IGNORED"}], "only once"),
    ],
)
def test_levels_that_cannot_be_are_refused(
    admin: httpx.Client, tracker: str, levels: list[dict[str, str]], told: str
) -> None:
    for answer in (
        admin.put(f"{tracker}/levels", json={"levels": levels}),
        admin.post(f"{tracker}/levels:preview", json={"levels": levels}),
    ):
        assert (answer.status_code, answer.json()["code"]) == (400, 3)
        assert told in answer.json()["message"]


def test_fixed_levels_and_git_hosts_are_refused_with_the_reason(
    admin: httpx.Client, deployment: Deployment, monkeypatch: pytest.MonkeyPatch, tracker: str
) -> None:
    host = connect(deployment, "GITEA", category="hosts", default_levels={})
    for answer in (admin.get(f"{host}/levels"), admin.put(f"{host}/levels", json={"levels": []})):
        assert (answer.json()["code"], "no issue tracker" in answer.json()["message"]) == (9, True)
    monkeypatch.setattr(Planner, "levels_are_editable", False)
    fixed = admin.put(f"{tracker}/levels", json={"levels": []})
    assert (fixed.json()["code"], "cannot be changed" in fixed.json()["message"]) == (9, True)


def test_teams_are_mapped_and_listed(admin: httpx.Client, tracker: str) -> None:
    team = admin.post(f"{ROOT}/teams", json={"name": "Frontend"}).json()["id"]
    listed = [{"teamKey": "1", "teamName": "Web", "teamId": None, "name": None}]
    assert admin.get(f"{tracker}/teams").json()["teams"] == listed
    mapped = admin.put(f"{tracker}/teams", json={"teams": [{"teamKey": "1", "teamId": team}]})
    assert mapped.json()["teams"] == [{"teamKey": "1", "teamName": "Web", "teamId": team, "name": "Frontend"}]
    assert mapped.headers["X-Operation"]
    twice = [{"teamKey": "1", "teamId": team}] * 2
    assert "only once" in admin.put(f"{tracker}/teams", json={"teams": twice}).json()["message"]
    unknown = admin.put(f"{tracker}/teams", json={"teams": [{"teamKey": "1", "teamId": "nope"}]})
    assert (unknown.status_code, "no team" in unknown.json()["message"]) == (400, True)


def test_a_kind_with_a_user_and_an_own_address_needs_only_what_it_says(admin: httpx.Client) -> None:
    kinds = {one["kind"]: one for one in admin.get(f"{ROOT}/connectionKinds").json()["connectionKinds"]}
    planner = kinds["PLANNER"]
    assert planner["options"] == [{"name": "workspace", "description": "Name of the workspace."}]
    assert (planner["category"], planner["defaultAddress"]) == ("ISSUE_TRACKER", f"https://{HOST}")
    assert planner["itemKinds"] == ["portfolio", "project", "task"]
    new = {"kind": "planner", "name": "P", "secret": TOKEN}
    answer = admin.post(f"{ROOT}/connections", json=new)
    [detail] = answer.json()["details"]
    assert [one["field"] for one in detail["fieldViolations"]] == ["user"]
