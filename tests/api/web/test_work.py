"""The pages of work: their figures are those of `/api/v1`, and their forms change what it shows."""

import csv
import io
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any

import httpx
import pytest

from api.web.drawing.figures import duration
from api.web.reading import Answer, OrganizationReader
from tests.api.conftest import ROOT
from tests.api.published_facts import AS_OF
from tests.api.web.conftest import HOME
from tests.api.web.own_organization import address, published
from tests.api.web.pages import Page

__all__ = ["address", "published"]

ALL_DAYS = {"startDate": "2020-01-01", "endDate": "2026-12-31"}


@pytest.fixture(scope="module")
def owner(browser_of: Callable[[str], httpx.Client]) -> httpx.Client:
    return browser_of("owner")


def told(browser: httpx.Client, path: str, **asked: Any) -> dict[str, Any]:
    """The answer of the interface to the session of the browser."""
    bearer = {"Authorization": f"Bearer {next(iter(browser.cookies.values()))}"}
    answer = browser.get(f"{ROOT}/{path}", params=asked, headers=bearer)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def shown(browser: httpx.Client, path: str, **asked: Any) -> Page:
    answer = browser.get(f"{HOME}/{path}", params=asked)
    assert answer.status_code == 200, answer.text
    page = Page(answer.text)
    assert (page.blocked, page.open) == ([], [])
    return page


def send(browser: httpx.Client, page: str, act: str, **fields: Any) -> httpx.Response:
    token = Page(browser.get(f"{HOME}/{page}").text).fields["token"]
    return browser.post(f"{HOME}/{page}", data={"token": token, "act": act} | fields)


def test_those_who_wait_longest_come_first_with_their_time(owner: httpx.Client) -> None:
    waiting = [
        row
        for row in told(owner, "pullRequests", state="OPEN", pageSize=1000)["pullRequests"]
        if row["reviewCount"] == 0 and not row["isDraft"]
    ]

    def hours(row: dict[str, Any]) -> float:
        phases = told(owner, f"pullRequests/{row['id']}")["phases"]
        closed = next(one["closedHours"] for one in phases if one["measure"] == "PICKUP")
        since = datetime.fromisoformat(row["readyAt"])
        return (AS_OF - since).total_seconds() / 3600 - float(closed)

    waiting.sort(key=hours, reverse=True)
    page = shown(owner, "pullRequests")
    heads = [row for row in page.rows if row and any(row[0].startswith(one["title"]) for one in waiting)]
    assert waiting
    times = [" ".join(duration(hours(one)).split()) for one in waiting]
    assert all(hours(one) > 0 for one in waiting)
    assert f"The longest wait is {times[0]} of calendar time." in page.text
    assert [row[1] for row in heads] == times[: len(heads)]
    assert {row["waitingSince"] == row["readyAt"] for row in waiting} == {True, False}
    again = next(row for row in waiting if row["waitingSince"] != row["readyAt"])
    time = " ".join(duration(hours(again)).split())
    assert f"waits for {time}" in shown(owner, f"pullRequests/{again['id']}").text
    assert len(heads) == min(25, len(waiting))


@pytest.mark.parametrize("view", ["WAITING", "OPEN", "MERGED", "CLOSED", "ALL"])
def test_each_view_of_pull_requests_has_its_number_in_the_first_sentence(
    owner: httpx.Client, view: str
) -> None:
    asked: dict[str, Any] = {"pageSize": 1}
    if view in ("OPEN", "MERGED", "CLOSED"):
        asked["state"] = view
    if view in ("MERGED", "CLOSED", "ALL"):
        asked |= ALL_DAYS
    if view == "MERGED":
        asked["dateOf"] = "MERGED"
    if view == "WAITING":
        asked |= {"state": "OPEN", "draft": "false", "filter": "reviewCount = 0"}
    size = told(owner, "pullRequests", **asked)["totalSize"]
    text = shown(owner, "pullRequests", view=view, **ALL_DAYS).text
    assert f"{size:,} pull request" in text or (size == 0 and "No pull request waits" in text)


def test_a_pull_request_shows_its_phases_reviews_and_commits(owner: httpx.Client) -> None:
    listed = told(owner, "pullRequests", state="MERGED", pageSize=1000)["pullRequests"]
    one = max(listed, key=lambda row: row["reviewCount"])
    detail = told(owner, f"pullRequests/{one['id']}")
    page = shown(owner, f"pullRequests/{one['id']}")
    assert len([row for row in page.rows if row]) == sum(
        len(detail[part]) + bool(detail[part]) for part in ("phases", "reviews", "commits")
    )
    assert one["title"] in page.heading


def test_a_pull_request_names_the_findings_about_it_with_what_became_of_them(owner: httpx.Client) -> None:
    known = {one["id"] for one in told(owner, "pullRequests", pageSize=1000)["pullRequests"]}
    open_ones = told(owner, "checkOccurrences", status="OPEN", pageSize=1000)["checkOccurrences"]
    found = next(one for one in open_ones if one["subjectId"] in known)
    label = next(
        one["label"] for one in told(owner, "checkKinds")["checkKinds"] if one["name"] == found["kind"]
    )
    text = shown(owner, f"pullRequests/{found['subjectId']}").text
    assert f"{label}, " in text
    assert "over the limit since" in text
    send(owner, "checks", "resolve", occurrence=found["id"], note="<i>agreed</i>")
    text = shown(owner, f"pullRequests/{found['subjectId']}").text
    assert "settled" in text
    assert "“<i>agreed</i>”" in text
    send(owner, "checks", "reopen", occurrence=found["id"])


def test_objectives_stand_above_their_parts_with_the_figures_of_the_interface(owner: httpx.Client) -> None:
    listed = told(owner, "objectives", level="OBJECTIVE", orderBy="etv desc", pageSize=25)["objectives"]
    parts = told(owner, "objectives", level="SUB_OBJECTIVE", orderBy="etv desc", pageSize=500)["objectives"]
    expected = []
    for one in listed:
        expected += [one, *(part for part in parts if part["parentId"] == one["id"])]
    rows = shown(owner, "objectives").rows[1:]
    assert expected
    # The last rows are the work without an objective, and without an issue.
    for row, one in zip(rows[: len(expected)], expected, strict=True):
        assert row[0].startswith(" ".join(one["title"].split()))
        assert row[1].startswith("–" if one["etv"] is None else f"{one['etv']:,.1f}")
    assert [row[0].partition("ETV")[0].strip() for row in rows[len(expected) :]] == [
        "Issues without an objective",
        "No issue",
    ]
    page = shown(owner, f"objectives/{listed[0]['id']}")
    assert listed[0]["title"] in page.heading


def test_a_finding_is_settled_put_off_and_opened_again(owner: httpx.Client) -> None:
    found = told(owner, "checkOccurrences", status="OPEN", pageSize=1)["checkOccurrences"][0]

    def status() -> str:
        listed = told(owner, "checkOccurrences", pageSize=1000)["checkOccurrences"]
        return next(str(one["status"]) for one in listed if one["id"] == found["id"])

    assert send(owner, "checks", "resolve", occurrence=found["id"], note="<b>known</b>").status_code == 303
    assert status() == "RESOLVED"
    page = shown(owner, "checks", status="RESOLVED", orderBy="decidedAt desc")
    assert "“<b>known</b>”" in page.text
    # What the data no longer shows has the value of its end.
    rows = told(owner, "checkOccurrences", status="RESOLVED", orderBy="decidedAt desc", pageSize=25)
    lasting = [one for one in rows["checkOccurrences"] if not one["endedAt"] and one["value"] is not None]
    assert 0 < len(lasting) < len(rows["checkOccurrences"])
    assert page.text.count("when it was settled") == len(lasting)
    assert send(owner, "checks", "reopen", occurrence=found["id"]).status_code == 303
    assert status() == "OPEN"
    later = (AS_OF + timedelta(days=30)).date().isoformat()
    assert send(owner, "checks", "snooze", occurrence=found["id"], untilDate=later).status_code == 303
    assert status() == "SNOOZED"
    refused = send(owner, "checks", "snooze", occurrence=found["id"], untilDate="yesterday")
    assert refused.status_code == 422
    assert "ntilDate" in Page(refused.text).text
    send(owner, "checks", "reopen", occurrence=found["id"])


def test_the_limit_of_a_kind_is_changed_and_a_wrong_one_refused(owner: httpx.Client) -> None:
    kind = next(
        one
        for one in told(owner, "checkKinds")["checkKinds"]
        if one["threshold"]
        and one["critical"]
        and one["critical"] > one["threshold"] + 1
        and not one["isBelow"]
    )
    new = kind["threshold"] + 1
    limits = {"threshold": str(new), "critical": str(kind["critical"])}
    done = send(owner, "checkKinds", "change", kind=kind["name"], isOn="true", **limits)
    assert done.status_code == 303, done.text
    now = next(one for one in told(owner, "checkKinds")["checkKinds"] if one["name"] == kind["name"])
    assert (now["threshold"], now["isOn"]) == (new, True)
    refused = send(owner, "checkKinds", "change", kind=kind["name"], isOn="true", threshold="much")
    assert refused.status_code == 422
    assert "must be a number" in Page(refused.text).text


def test_limits_are_tried_before_they_are_changed(owner: httpx.Client) -> None:
    kinds = told(owner, "checkKinds")["checkKinds"]
    kind = next(one for one in kinds if one["name"] == "OPEN_TOO_LONG")
    bearer = {"Authorization": f"Bearer {next(iter(owner.cookies.values()))}"}
    proposed = {"threshold": 0.5, "critical": 1}
    answer = owner.post(f"{ROOT}/checkKinds/{kind['name']}:backtest", json=proposed, headers=bearer).json()
    tried = send(owner, "checkKinds", "try", kind=kind["name"], isOn="true", threshold="0.5", critical="1")
    found = Page(tried.text)
    assert (tried.status_code, found.blocked, found.open) == (200, [], [])
    assert f"{answer['occurrences']} occurrence" in found.text
    assert f"{answer['critical']} of them critical, and {answer['open']} still open" in found.text
    weeks = {
        row[0]: row[1] for row in found.rows if row and row[0] in {week_of(one) for one in answer["weeks"]}
    }
    assert weeks == {week_of(one): str(one["occurrences"]) for one in answer["weeks"]}
    assert told(owner, "checkKinds")["checkKinds"] == kinds
    assert "The limit is from 0.5 " in found.text
    assert ", critical from 1 " in found.text
    # The second form of the result has the values that were tried.
    assert 'name="threshold" value="0.5"' in tried.text


def test_refused_inputs_of_a_dialog_are_kept_under_their_own_kind(owner: httpx.Client) -> None:
    kind = told(owner, "checkKinds")["checkKinds"][0]["name"]
    for act in ("try", "change"):
        sent = {"kind": kind, "isOn": "true", "threshold": "much", "dialog": f"change-{kind}"}
        refused = send(owner, "checkKinds", act, **sent)
        assert refused.status_code == 422
        assert refused.text.count('value="much"') == 1, act
        assert "Must be a number." in Page(refused.text).text, act


def week_of(week: dict[str, Any]) -> str:
    day = date.fromisoformat(week["weekStart"])
    return f"{day.day} {day:%b %Y}"


def test_a_team_is_added_renamed_and_gets_a_member_from_a_day_on(owner: httpx.Client) -> None:
    assert send(owner, "teams", "add", name="Pages & more", parentId="").status_code == 303
    [team] = [
        one for one in told(owner, "teams:tree", pageSize=1000)["teams"] if one["name"] == "Pages & more"
    ]
    path = f"teams/{team['id']}"
    person = told(owner, "developers", pageSize=1)["developers"][0]
    joined = send(owner, path, "join", team=team["id"], developerId=person["id"], startDate="2027-01-04")
    assert joined.status_code == 303
    [membership] = told(owner, "teamMemberships", team=team["id"])["teamMemberships"]
    assert (membership["developerId"], membership["startDate"]) == (person["id"], "2027-01-04")
    assert shown(owner, path).row(person["name"])[1:3] == ["planned", "4 Jan 2027"]
    assert send(owner, path, "rename", team=team["id"], name="Pages", parentId="").status_code == 303
    assert told(owner, path)["name"] == "Pages"
    refused = send(owner, "teams", "add", name="", parentId="")
    assert refused.status_code == 422


def test_a_team_whose_figures_are_refused_says_the_reason(
    owner: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert send(owner, "teams", "add", name="Refused", parentId="").status_code == 303
    [team] = [
        one["id"] for one in told(owner, "teams:tree", pageSize=1000)["teams"] if one["name"] == "Refused"
    ]
    read = OrganizationReader.read

    async def refused(self: OrganizationReader, path: str = "", **asked: Any) -> Answer:
        if path == "teams":
            return Answer(
                403, None, "you may not see this team: a team lead sees only the teams that they lead"
            )
        return await read(self, path, **asked)

    monkeypatch.setattr(OrganizationReader, "read", refused)
    text = shown(owner, f"teams/{team}").text
    assert "Its figures cannot be shown: you may not see this team: a team lead sees only" in text
    assert "next build" not in text


@pytest.mark.parametrize("role", ["viewer", "member", "team_lead"])
def test_who_may_not_change_teams_has_no_forms_and_is_refused(
    browser_of: Callable[[str], httpx.Client], role: str
) -> None:
    browser = browser_of(role)
    page = browser.get(f"{HOME}/teams")
    assert "Add team" not in page.text
    assert send(browser, "teams", "add", name="Mine", parentId="").status_code == 422
    assert "Mine" not in [one["name"] for one in told(browser, "teams:tree", pageSize=1000)["teams"]]


@pytest.mark.parametrize(
    "name", ["commits", "developers", "repositories", "teams", "objectives", "checkOccurrences"]
)
def test_a_file_has_all_rows_of_the_list_in_its_order(owner: httpx.Client, name: str) -> None:
    order = "id" if name in ("developers", "repositories", "teams") else "id desc"
    asked = {"orderBy": order} | (ALL_DAYS if name not in ("objectives", "checkOccurrences") else {})
    answer = owner.get(f"{HOME}/files/{name}", params=asked | {"format": "CSV"})
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-disposition"].startswith("attachment")
    found = list(csv.DictReader(io.StringIO(answer.text, newline="")))
    rows = told(owner, name, pageSize=1000, **asked)[name]
    assert [row["id"] for row in found] == [row["id"] for row in rows]
    column = "etv" if name != "checkOccurrences" else "value"
    assert [row[column] for row in found] == ["" if row[column] is None else str(row[column]) for row in rows]


def test_a_file_of_a_list_that_a_role_may_not_read_is_refused_with_its_reason(
    browser_of: Callable[[str], httpx.Client],
) -> None:
    refused = browser_of("viewer").get(f"{HOME}/files/auditEntries", params={"format": "CSV"})
    assert (refused.status_code, refused.json()["code"]) == (403, 7)
    unknown = browser_of("owner").get(f"{HOME}/files/commits", params={"format": "PDF"})
    assert unknown.status_code == 400


@pytest.mark.parametrize("path", ["..%2f..%2f..%2fauth%2fsessions", "%2e%2e/settings"])
def test_a_path_of_a_file_stays_below_the_organization(owner: httpx.Client, path: str) -> None:
    assert owner.get(f"{HOME}/files/{path}?format=CSV").status_code in (400, 404)


def test_checks_of_a_narrowed_list_are_told_apart_from_all(owner: httpx.Client) -> None:
    [group, *_] = [
        one for one in told(owner, "checkOccurrences:group", groupBy="KIND")["groups"] if one["open"]
    ]
    assert "checks are open." in shown(owner, "checks").text
    assert "checks are open in all." in shown(owner, "checks", kind=group["key"]).text
