"""The pages of settings change what their forms say, and `/api/v1` shows it afterwards."""

import csv
import re
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from tests.api.conftest import ROOT
from tests.api.web.conftest import HOME
from tests.api.web.own_organization import address, published
from tests.api.web.pages import Page

__all__ = ["address", "published"]

PAGES = ("general", "members", "tokens", "calendar", "privacy", "plan", "audit")


@pytest.fixture(scope="module")
def owner(browser_of: Callable[[str], httpx.Client]) -> httpx.Client:
    return browser_of("owner")


def told(browser: httpx.Client, path: str, **asked: Any) -> dict[str, Any]:
    """The answer of the interface to the session of the browser."""
    bearer = {"Authorization": f"Bearer {next(iter(browser.cookies.values()))}"}
    answer = browser.get(f"{ROOT}/{path}".rstrip("/"), params=asked, headers=bearer)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def send(browser: httpx.Client, page: str, act: str, **fields: Any) -> httpx.Response:
    token = Page(browser.get(f"{HOME}/{page}").text).fields["token"]
    return browser.post(f"{HOME}/{page}", data={"token": token, "act": act} | fields)


def done(browser: httpx.Client, page: str, act: str, **fields: Any) -> None:
    answer = send(browser, page, act, **fields)
    assert answer.status_code == 303, Page(answer.text).text
    assert answer.headers["location"] == f"{HOME}/{page}?done={act}"


def test_general_settings_are_those_of_the_interface(owner: httpx.Client) -> None:
    id_ = told(owner, "")["id"]
    assert id_ in Page(owner.get(f"{HOME}/general").text).text
    done(owner, "general", "rename", name="Acme & Sons")
    assert told(owner, "")["name"] == "Acme & Sons"
    counting = {
        "timeZone": "Asia/Tokyo",
        "workCategoryGrouping": "TWO",
        "analysisMode": "ON_REQUEST",
        "defaultAnalysisStartDate": "2024-02-29",
    }
    done(owner, "general", "counting", **counting)
    assert counting.items() <= told(owner, "settings").items()
    done(owner, "general", "columns", hasAiTeamColumns="true")
    settings = told(owner, "settings")
    columns = ("hasAiDeveloperColumns", "hasAiRepositoryColumns", "hasAiTeamColumns")
    assert [settings[name] for name in columns] == [False, False, True]
    done(owner, "general", "context", companyContext="We sell\r\n<b>boats</b>.")
    assert told(owner, "settings")["companyContext"] == "We sell\n<b>boats</b>."
    found = Page(owner.get(f"{HOME}/general").text)
    assert found.blocked == []
    assert "<b>boats</b>" in found.text


@pytest.mark.parametrize(
    ("page", "act", "fields", "reason"),
    [
        ("general", "counting", {"timeZone": "Mars/Base"}, "Mars/Base"),
        ("general", "rename", {"name": " "}, "1 to 255"),
        ("calendar", "calendar", {"hoursPerDay": "many", "holidays": ""}, "number of hours"),
        ("calendar", "calendar", {"hoursPerDay": "8", "holidays": "2026-12-25"}, "name after the day"),
        ("privacy", "privacy", {"minimumGroupSize": "-1"}, "whole number"),
        ("privacy", "privacy", {"minimumGroupSize": "999999"}, "100"),
        ("members", "invite", {"email": "nobody", "role": "MEMBER"}, "address"),
        ("tokens", "key", {"name": " ", "scope": "READ"}, "1 to"),
        ("tokens", "key", {"name": "x", "expiresAt": "soon"}, "must be a day"),
        ("plan", "upgrade", {"commitLimit": "many"}, "whole number"),
    ],
)
def test_a_refused_form_says_why_and_keeps_what_was_typed(
    owner: httpx.Client, page: str, act: str, fields: dict[str, str], reason: str
) -> None:
    answer = send(owner, page, act, **fields)
    found = Page(answer.text)
    assert (answer.status_code, found.blocked, found.open) == (422, [], [])
    assert reason in found.text
    # The page of tokens has three forms with fields of the same names.
    for name, value in fields.items() if page != "tokens" else ():
        if name in found.fields:
            assert found.fields[name] == value


def test_the_calendar_is_that_of_the_interface(owner: httpx.Client) -> None:
    done(
        owner,
        "calendar",
        "calendar",
        workingWeekdays=["MONDAY", "FRIDAY"],
        hoursPerDay="7.5",
        holidays="2026-12-25 Christmas Day\r\n\r\n2026-01-01 New Year\r\n",
    )
    found = told(owner, "settings")
    assert (found["workingWeekdays"], found["hoursPerDay"]) == (["MONDAY", "FRIDAY"], 7.5)
    assert [day["name"] for day in found["holidays"]] == ["New Year", "Christmas Day"]
    text = Page(owner.get(f"{HOME}/calendar").text).text
    assert "2 working days a week of 7.5 hours, and 2 holidays." in text


def test_the_privacy_is_that_of_the_interface(owner: httpx.Client) -> None:
    done(owner, "privacy", "privacy", minimumGroupSize="0")
    found = told(owner, "settings")
    assert (found["hasIndividualFigures"], found["minimumGroupSize"]) == (False, 0)
    assert "Figures of single developers are hidden." in Page(owner.get(f"{HOME}/privacy").text).text
    done(owner, "privacy", "privacy", minimumGroupSize="0", hasIndividualFigures="true")
    assert told(owner, "settings")["hasIndividualFigures"] is True


def test_somebody_is_invited_with_a_link_and_the_invitation_cancelled(owner: httpx.Client) -> None:
    done(owner, "members", "invite", email="grace@example.org", role="VIEWER")
    assert (
        "grace@example.org is invited as viewer" in Page(owner.get(f"{HOME}/members?done=invite").text).text
    )
    [one] = told(owner, "invitations")["invitations"]
    assert (one["email"], one["role"]) == ("grace@example.org", "VIEWER")
    found = Page(owner.get(f"{HOME}/members").text)
    assert found.row("grace@example.org")[1:3] == ["Viewer", "Waits"]
    assert one["link"] in found.text
    # Cancelling asks first, in a dialog that says the consequence.
    assert "Its link stops working at once." in found.text
    done(owner, "members", "cancel", invitation=one["id"])
    assert told(owner, "invitations")["invitations"] == []


def test_an_address_that_is_invited_again_is_the_one_that_the_page_names(owner: httpx.Client) -> None:
    for email, role in (("old", "VIEWER"), ("new", "VIEWER"), ("old", "MEMBER")):
        done(owner, "members", "invite", email=f"{email}@example.org", role=role)
    text = Page(owner.get(f"{HOME}/members?done=invite").text).text
    assert "old@example.org is invited as member" in text
    for one in told(owner, "invitations")["invitations"]:
        done(owner, "members", "cancel", invitation=one["id"])


def test_a_role_is_changed_and_a_member_removed(
    owner: httpx.Client, browser_of: Callable[[str], httpx.Client]
) -> None:
    email = told(browser_of("viewer"), "me")["email"]
    [member] = told(owner, "members", search=email)["members"]
    done(owner, "members", "role", member=member["id"], role="TEAM_LEAD")
    assert told(owner, f"members/{member['id']}")["role"] == "TEAM_LEAD"
    done(owner, "members", "remove", member=member["id"])
    assert told(owner, "members", search=email)["members"] == []
    again = send(owner, "members", "remove", member=member["id"])
    assert (again.status_code, "no member" in again.text.lower()) == (422, True)


@pytest.mark.parametrize(
    ("act", "path"), [("key", "tokens"), ("scim", "scimTokens"), ("ingest", "ingestTokens")]
)
def test_a_key_is_shown_once_and_revoked(owner: httpx.Client, act: str, path: str) -> None:
    more = {"scope": "WRITE"} if act == "key" else {}
    answer = send(owner, "tokens", act, name=f"new {act}", expiresAt="2999-01-31", **more)
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    [made] = [one for one in told(owner, path)[path] if one["name"] == f"new {act}"]
    assert made["expiresAt"] == "2999-02-01T00:00:00Z"
    prefix = {"key": "service_", "scim": "scim_", "ingest": "ingest_"}[act]
    [key] = set(re.findall(prefix + r"[\w-]{20,}", Page(answer.text).text))
    assert len(key) > 20
    listed = owner.get(f"{HOME}/tokens").text
    assert key not in listed
    row = Page(listed).row(f"new {act}")
    assert (row[1].startswith("Works"), "31 Jan 2999" in row) == (True, True)
    done(owner, "tokens", f"revoke-{act}", chosen=made["id"])
    assert Page(owner.get(f"{HOME}/tokens").text).row(f"new {act}")[1] == "Revoked"


@pytest.mark.parametrize(
    ("page", "act", "made", "path"),
    [
        ("members", "invite", {"email": "{}@example.org", "role": "VIEWER"}, "invitations"),
        ("tokens", "scim", {"name": "directory {}"}, "scimTokens"),
    ],
)
def test_a_long_list_goes_on_at_its_next_page(
    owner: httpx.Client,
    monkeypatch: pytest.MonkeyPatch,
    page: str,
    act: str,
    made: dict[str, str],
    path: str,
) -> None:
    for number in range(3):
        send(owner, page, act, **{name: text.format(f"list{number}") for name, text in made.items()})
    monkeypatch.setattr(f"api.web.settings.{page}.MOST", 2)
    key = next(iter(made))
    expected = [one[key] for one in told(owner, path)[path]]
    first = Page(owner.get(f"{HOME}/{page}").text)
    assert f"2 of {len(expected)}" in first.text
    [link] = [link for link in first.links if "Page=" in link]
    second = Page(owner.get(link).text)
    shown = [text for text in expected if text in first.text]
    assert shown == expected[:2]
    assert expected[2] in second.text
    assert expected[0] not in second.text


def test_the_audit_log_is_filtered_and_saved(owner: httpx.Client) -> None:
    done(owner, "general", "rename", name='=HYPERLINK("x")')
    entries = told(owner, "auditEntries", action="organizations.rename")["auditEntries"]
    found = Page(owner.get(f"{HOME}/audit", params={"action": "organizations.rename"}).text)
    assert len(found.rows) - 1 == len(entries) > 0
    assert "=HYPERLINK" in found.rows[1][3]
    [link] = [link for link in found.links if "/files/" in link]
    rows = list(csv.DictReader(owner.get(link).text.splitlines()))
    assert {row["action"] for row in rows} == {"organizations.rename"}
    assert "No change matches action “nothing”" in Page(owner.get(f"{HOME}/audit?action=nothing").text).text


def test_the_plan_says_what_is_counted(owner: httpx.Client) -> None:
    plan = told(owner, "plan")
    text = Page(owner.get(f"{HOME}/plan").text).text
    assert ("The plan has no limit of commits." in text) is (plan["commitLimit"] is None)
    people = plan["billableDeveloperCount"]
    assert people is None or f"{people} developer" in text
    for row in told(owner, "billableDevelopers")["billableDevelopers"] if people is not None else []:
        assert row["name"] in text


def test_the_invitation_offers_what_can_be_invited_and_says_how_to_get_the_other_roles(
    owner: httpx.Client,
) -> None:
    text = owner.get(f"{HOME}/members?invite=true").text
    form = text.split('id="invite"')[1].split("</form>")[0]
    assert set(re.findall(r'<option value="(\w+)"', form)) == {"OWNER", "MEMBER", "VIEWER"}
    for role in ("ADMIN", "TEAM_LEAD"):
        refused = send(owner, "members", "invite", email="ada@example.org", role=role)
        assert refused.status_code == 422
    assert "Nobody is invited as an admin or team lead" in Page(text).text


@pytest.mark.parametrize("page", PAGES)
def test_each_role_sees_its_part_and_changes_only_what_it_may(
    browser_of: Callable[[str], httpx.Client], page: str
) -> None:
    for role in ("viewer", "team_lead"):
        browser = browser_of(role)
        answer = browser.get(f"{HOME}/{page}")
        found = Page(answer.text)
        is_closed = page == "audit" or (role == "team_lead" and page != "tokens")
        assert answer.status_code == (403 if is_closed else 200), role
        assert (found.blocked, found.open) == ([], [])
        assert "act" not in found.fields or page == "tokens"
        if is_closed:
            assert "you may not" in found.text.lower()


@pytest.mark.parametrize("page", [page for page in PAGES if page != "audit"])
def test_a_form_without_the_token_of_its_page_is_refused(owner: httpx.Client, page: str) -> None:
    before = told(owner, "settings")
    answer = owner.post(f"{HOME}/{page}", data={"act": "rename", "token": "0" * 64, "name": "Taken"})
    assert answer.status_code == 403
    assert told(owner, "settings") == before
