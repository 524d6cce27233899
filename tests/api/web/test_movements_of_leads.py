"""A lead finds on the overview what moved in the led teams, in the words of pages."""

import re

import httpx
import pytest

from api.presentation.rounding import shown_difference
from api.web.sessions.cookies import NAME
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.moving_people import address_of, deployed, moving, moving_warehouse
from tests.api.people import sign_in
from tests.api.scoped_deployment import LEADS, make_lead
from tests.api.web.conftest import HOME
from tests.api.web.pages import Page

__all__ = ["address_of", "deployed", "moving", "moving_warehouse"]
DAYS = {"startDate": "2025-12-01", "endDate": "2026-11-20"}
MONTH = "2026-10"


@pytest.mark.parametrize("name", ["of a leaf", "of two", "of none"])
def test_a_lead_sees_movements_of_teams_and_people(deployed: Deployment, address_of: str, name: str) -> None:
    session = sign_in(deployed.store, make_lead(deployed, LEADS[name]))
    with client_for(address_of, session) as client:
        asked: dict[str, str | int] = {
            "startDate": f"{MONTH}-01",
            "endDate": f"{MONTH}-28",
            "interval": "MONTH",
            "pageSize": 100,
        }
        rows = {
            kind: client.get(f"{ROOT}/movements", params=asked | {"entity": kind}).json()["movements"]
            for kind in ("TEAM", "DEVELOPER")
        }
    with client_for(address_of) as browser:
        browser.headers["Accept"] = "text/html"
        browser.cookies.set(NAME, session)
        found = overview(browser)
    assert not re.search("entity=|cannot be shown", found.text)
    heads = [row[0] for row in found.rows if row]
    for kind, movements in rows.items():
        moved = [row for row in movements if shown_difference(row["etv"], row["previousEtv"])]
        for row in moved[:2]:
            is_the_whole = kind == "TEAM" and len(movements) == 1
            wanted = "All of October 2026" if is_the_whole else row["name"]
            assert any(head.startswith(wanted) for head in heads), (kind, wanted)
    assert name == "of none" or rows["TEAM"]


def overview(browser: httpx.Client) -> Page:
    answer = browser.get(f"{HOME}/overview", params=DAYS | {"month": MONTH})
    assert answer.status_code == 200, answer.text
    return Page(answer.text)
