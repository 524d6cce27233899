"""The audit log says in sentences what was done, for every action that is recorded."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

import api.control
from api.control.checks.decisions import _VERBS
from api.control.payments import EventKind
from api.web.settings.audit_words import ACTIONS, changes, done, ids_of, link_of
from tests.api.conftest import ROOT
from tests.api.web.conftest import HOME
from tests.api.web.own_organization import address, published
from tests.api.web.pages import Page
from tests.api.web.test_work import send, told

__all__ = ["address", "published"]

SOURCES = Path(next(iter(api.control.__path__)))
ACTION = re.compile(r'"([a-z]\w+\.[a-z]\w+)"')
NO_ACTIONS = re.compile(r"\.(\w*_id|id|key|db|month)$")


@pytest.fixture(scope="module")
def owner(browser_of: Callable[[str], httpx.Client]) -> httpx.Client:
    return browser_of("owner")


def recorded() -> set[str]:
    """The actions that the service records: those written out, and those made of a verb."""
    found = {name for file in SOURCES.rglob("*.py") for name in ACTION.findall(file.read_text())}
    made = {f"checkOccurrences.{verb}" for verb in _VERBS.values()}
    for kind in EventKind:
        first, second = kind.value.split("_")
        made.add(f"plan.{first}{second.capitalize()}")
    made |= {
        f"{one}.{verb}" for one in ("tokens", "scimTokens", "ingestTokens") for verb in ("create", "revoke")
    }
    return {name for name in found if not NO_ACTIONS.search(name)} | made


def test_every_recorded_action_has_words() -> None:
    assert len(recorded()) > 80
    assert recorded() - ACTIONS.keys() == set()


def test_an_unknown_action_is_still_told() -> None:
    assert done("newThings.makeLarge") == "New things: make large"


def test_ids_of_known_people_are_their_names_and_fields_are_words() -> None:
    person = "6e858c8f-2edd-56bc-b1fe-11e0cd809fd6"
    after = {"developerId": person, "startDate": "2026-01-02", "buildId": "b", "isOn": True, "ids": [person]}
    assert changes({"before": None, "after": after}, {person: "Kim"}) == [
        ("person", "", "Kim"),
        ("start date", "", "2 Jan 2026"),
        ("is on", "", "yes"),
        ("ids", "", "Kim"),
    ]


def test_names_are_asked_for_the_ids_of_the_entries_alone() -> None:
    kim, web = "0190d3b0-0000-7000-8000-00000000000a", "0190d3b0-0000-7000-8000-00000000000b"
    entries: list[dict[str, Any]] = [
        {
            "targetName": f"{kim} in {web}",
            "before": None,
            "after": {"developerId": kim, "startDate": "2026-09-01"},
        },
        {"targetName": "Web", "before": {"members": [{"id": web}]}, "after": {"name": "0190d3b0-0000"}},
    ]
    assert ids_of(entries) == [kim, web]
    assert ids_of(entries[1:]) == [web]
    assert ids_of([entries[1] | {"before": None}]) == []


def test_what_is_gone_has_no_link() -> None:
    team = {"targetKind": "team", "targetId": "t", "targetName": "Web"}
    assert link_of(team | {"action": "teams.update"}, "/x") == "/x/teams/t"
    assert link_of(team | {"action": "teams.delete"}, "/x") == ""


def test_the_page_names_and_links_what_was_changed(owner: httpx.Client) -> None:
    person = told(owner, "developers", pageSize=1)["developers"][0]
    assert send(owner, "teams", "add", name="Tills", parentId="").status_code == 303
    team = next(one for one in told(owner, "teams:tree")["teams"] if one["name"] == "Tills")
    joined = send(
        owner,
        f"teams/{team['id']}",
        "join",
        team=team["id"],
        developerId=person["id"],
        startDate="2027-01-04",
    )
    assert joined.status_code == 303, Page(joined.text).text
    found = Page(owner.get(f"{HOME}/audit").raise_for_status().text)
    assert "added the team Tills" in found.text
    assert f"added to a team: {person['name']} in Tills" in found.text
    assert f"{HOME}/teams/{team['id']}" in found.links
    assert person["id"] not in found.text


def test_a_lead_is_told_by_name(owner: httpx.Client) -> None:
    assert send(owner, "teams", "add", name="Tellers", parentId="").status_code == 303
    team = next(one for one in told(owner, "teams:tree")["teams"] if one["name"] == "Tellers")
    member = told(owner, "members", pageSize=1)["members"][0]
    bearer = {"Authorization": f"Bearer {next(iter(owner.cookies.values()))}"}
    named = owner.post(f"{ROOT}/teams/{team['id']}/leads", json={"memberId": member["id"]}, headers=bearer)
    assert named.is_success, named.text
    page = Page(owner.get(f"{HOME}/audit").raise_for_status().text)
    assert "named a lead of the team Tellers" in page.text
    assert f"member: {member['name'] or member['email']}" in page.text
    assert member["id"] not in page.text
