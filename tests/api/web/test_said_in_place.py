"""Pages say in place what a reader would otherwise have to guess: units, reasons, states, ranges and words."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import httpx
import pytest
from starlette.datastructures import QueryParams

from api.web.drawing.health import is_failing
from api.web.drawing.rendering import templates
from api.web.drawing.terms import OF_TEMPLATE, TERMS
from api.web.money.months import chosen_month
from api.web.pages.developers import _noun
from api.web.reading import Answer, OrganizationReader
from api.web.running.connections import is_overdue
from tests.api.web.conftest import HOME
from tests.api.web.own_organization import address, published
from tests.api.web.pages import Page
from tests.api.web.test_work import ALL_DAYS, send, shown, told

__all__ = ["address", "published"]


def macros_of(template: str) -> Any:
    """The macros of a template."""
    return templates().get_template(template).module


@pytest.fixture(scope="module")
def owner(browser_of: Callable[[str], httpx.Client]) -> httpx.Client:
    return browser_of("owner")


def test_a_limit_has_its_unit_and_says_from_where_on_it_is_found(owner: httpx.Client) -> None:
    row = told(owner, "checkOccurrences", status="OPEN", kind="WAITING_FOR_REVIEW")["checkOccurrences"][0]
    page = shown(owner, "checks", kind="WAITING_FOR_REVIEW")
    cells = page.row(row["subjectTitle"] or row["subjectReference"])
    assert cells[1].endswith(" working hours")
    assert cells[2] == f"from {row['threshold']:.4g} working hours"
    kinds = shown(owner, "checkKinds")
    assert kinds.row("Waiting for the first review")[2:4] == [
        "from 24 working hours",
        "from 48 working hours",
    ]
    assert "up to 80 percent" in kinds.text


def test_times_of_pull_requests_say_that_they_are_calendar_time(owner: httpx.Client) -> None:
    page = shown(owner, "pullRequests")
    assert "of calendar time." in page.text
    assert "Waits, calendar time" in page.text
    one = told(owner, "pullRequests", state="MERGED", pageSize=1)["pullRequests"][0]
    heads = next(row for row in shown(owner, f"pullRequests/{one['id']}").rows if row[:1] == ["Phase"])
    assert heads[1:3] == ["Calendar time", "Working hours"]


def test_a_waiting_pull_request_says_that_its_check_is_settled(owner: httpx.Client) -> None:
    row = told(owner, "checkOccurrences", status="OPEN", kind="WAITING_FOR_REVIEW")["checkOccurrences"][0]
    before = shown(owner, "pullRequests", search=row["subjectTitle"])
    assert "check settled" not in before.text
    assert send(owner, "checks", "resolve", occurrence=row["id"], note="Read at the desk.").status_code == 303
    page = shown(owner, "pullRequests", search=row["subjectTitle"])
    assert "check settled" in page.row(row["subjectTitle"])[0]
    assert "a check that somebody settled or put off" in page.text
    assert f"{HOME}/checks?kind=WAITING_FOR_REVIEW&status=RESOLVED" in page.links
    assert send(owner, "checks", "reopen", occurrence=row["id"]).status_code == 303
    assert "check settled" not in shown(owner, "pullRequests", search=row["subjectTitle"]).text


@pytest.mark.parametrize(
    ("asked", "opened"),
    [({}, "2026-10-01"), ({"month": "2026-07"}, "2026-07-01"), ({"month": "2026-11"}, "2026-11-01")],
)
def test_capex_opens_on_the_newest_complete_month(asked: dict[str, str], opened: str) -> None:
    assert chosen_month(QueryParams(asked), date(2026, 11, 30)) == date.fromisoformat(opened)


def test_capex_says_how_hours_are_made_and_takes_a_joining_date(owner: httpx.Client) -> None:
    rows = told(owner, "capex", startDate="2026-10-01", endDate="2026-10-01", pageSize=100)["rows"]
    undated = next(row for row in rows if row["datesInferred"])
    page = shown(owner, "capex", month="2026-10")
    assert "Hours are the working days of the month" in page.text
    assert "Whole months count for them" in page.text
    assert "When did somebody join?" in page.text
    offered = owner.get(f"{HOME}/capex", params={"month": "2026-10"}).text
    assert f'<option value="{undated["developerId"]}"' in offered
    joined = send(
        owner, "capex?month=2026-10", "joined", developer=undated["developerId"], joiningDate="2026-10-12"
    )
    assert joined.status_code == 303
    found = told(owner, f"developers/{undated['developerId']}/attributes")
    assert found["joiningDate"] == "2026-10-12"


def test_a_lock_says_which_earlier_months_are_open(owner: httpx.Client) -> None:
    page = shown(owner, "capex", month="2026-10")
    assert "September 2026" in page.text
    assert "are not locked yet. A lock of October leaves them open" in page.text
    assert "Not signed yet, so nothing for finance" in page.text


def test_a_missing_performance_has_its_reason_in_the_list() -> None:
    macro = macros_of("components.html").no_performances
    young, idle, known = ({"performanceMissingReason": one} for one in ("NO_COMPARISON_YET", "NO_ETV", None))
    told = macro([young, idle, young, known])
    assert told.count("too little work in the year before the range") == 1
    assert "a single month or a shorter range can have one" in told
    assert macro([idle, known]).strip() == ""


def test_people_are_counted_apart_from_bots(owner: httpx.Client) -> None:
    rows = told(owner, "developers", pageSize=100, **ALL_DAYS)["developers"]
    bots = [row for row in rows if row["isBot"]]
    page = shown(owner, "developers", **ALL_DAYS)
    assert bots
    assert f"{len(rows)} rows: {len(rows) - len(bots)} people, {len(bots)} bot" in page.text
    people = [row for row in rows if row["commits"] and not row["isBot"]]
    assert f"{len(people)} people delivered" in page.text


@pytest.mark.parametrize(
    ("rows", "bots", "noun"),
    [
        (4, 0, "people"),
        (1, 0, "person"),
        (1, 1, "bot or agent"),
        (3, 3, "bots and agents"),
        (2, 1, "rows: 1 person, 1 bot or agent"),
        (0, 0, "people"),
    ],
)
def test_rows_are_counted_in_singular_and_plural(rows: int, bots: int, noun: str) -> None:
    assert _noun(rows, bots) == noun


def test_checks_say_how_many_kinds_are_off(owner: httpx.Client) -> None:
    kinds = told(owner, "checkKinds")["checkKinds"]
    off = sum(not one["isOn"] for one in kinds)
    page = shown(owner, "checks")
    assert f"{off} of {len(kinds)} kinds of checks are off" in page.text
    assert f"{HOME}/checkKinds" in page.links
    assert f"{off} are off" in shown(owner, "checkKinds").text


@pytest.mark.parametrize(
    ("health", "reason", "fails"),
    [
        ("FAILING", "EXPIRED", True),
        ("LIMITED", "UNAVAILABLE", True),
        ("LIMITED", "RATE_LIMITED", False),
        ("HEALTHY", None, False),
    ],
)
def test_a_connection_fails_or_waits(health: str, reason: str | None, fails: bool) -> None:
    row: dict[str, Any] = {
        "health": health,
        "failureReason": reason,
        "failure": "",
        "warnings": [],
        "expiresAt": None,
    }
    assert is_failing(row) is fails
    macro = macros_of("running/health.html").health
    assert ("Waits" in macro(row)) is (health == "LIMITED" and not fails)
    assert ("Fails" in macro(row)) is (health == "LIMITED" and fails)
    assert macros_of("running/health.html").state_of(health, reason) in macro(row)


@pytest.mark.parametrize(
    ("due", "said"),
    [
        (None, ""),
        ("2026-11-24T02:00:00+00:00", "by the first run from then on"),
        ("2026-11-23T09:00:00+00:00", "by the first run from then on"),
        ("2026-11-23T06:00:00+00:00", "nothing has run since"),
    ],
)
def test_an_attempt_that_a_night_has_passed_over_is_called_overdue(due: str | None, said: str) -> None:
    late = is_overdue(due, datetime(2026, 11, 24, 8, tzinfo=UTC))
    shown_attempt = macros_of("running/health.html").next_attempt({"nextAttemptAt": due}, late)
    assert said in shown_attempt
    assert ("second" in shown_attempt) is bool(said)


def test_work_without_an_objective_has_a_row_and_none_of_zero(owner: httpx.Client) -> None:
    totals = told(owner, "repositories", pageSize=1, **ALL_DAYS)["totals"]
    page = shown(owner, "objectives", **ALL_DAYS)
    apart = totals["etv"] * (1 - totals["roadmapAlignment"]) - totals["unalignedEtv"]
    assert page.row("Issues without an objective")[1] == f"{apart:,.1f}"
    assert page.row("No issue")[1] == f"{totals['unalignedEtv']:,.1f}" != "0.0"
    unlinked = told(owner, "commits", aligned="false", pageSize=1, **ALL_DAYS)["totalSize"]
    assert page.row("No issue")[3] == f"{unlinked:,}" != "0"


def test_people_stand_above_issues_and_issues_are_sorted(owner: httpx.Client) -> None:
    objectives = told(owner, "objectives", orderBy="etv desc", pageSize=10)["objectives"]
    bodies = [told(owner, f"objectives/{one['id']}") for one in objectives]
    most = max(bodies, key=lambda body: len(body["issues"]))
    text = shown(owner, f"objectives/{most['id']}").text
    assert text.index("Who worked on it?") < text.index("Which issues?")
    keys = [
        one["title"]
        for one in sorted(
            most["issues"],
            key=lambda one: (
                one["statusCategory"] not in ("TODO", "DOING"),
                -(one["etv"] or 0),
                one["key"] or "",
            ),
        )
    ]
    assert {"CANCELED", "DONE"} & {one["statusCategory"] for one in most["issues"]}
    places = [text.index(title, text.index("Which issues?")) for title in dict.fromkeys(keys)]
    assert len(places) > 1
    assert places == sorted(places)


def test_no_page_calls_canceled_issues_done(owner: httpx.Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four issues are done and one is canceled, so progress is 1."""
    whole = {"progress": 1, "doneIssueCount": 4, "issueCount": 5, "statusCategory": "DOING"}
    [one] = told(owner, "objectives", level="OBJECTIVE", pageSize=1)["objectives"]
    read = OrganizationReader.read

    async def changed(self: OrganizationReader, path: str = "", **asked: Any) -> Answer:
        answer = await read(self, path, **asked)
        if path == f"objectives/{one['id']}":
            answer.body.update(whole)
        elif path == "objectives":
            for row in answer.rows("objectives"):
                row.update(whole)
        return answer

    monkeypatch.setattr(OrganizationReader, "read", changed)
    for path in (f"objectives/{one['id']}", "objectives"):
        text = shown(owner, path).text
        assert ("All 4 issues are done, 1 more is cancelled" in text) == (path != "objectives")
        assert "5 issues are done" not in text
        assert "all issues are done" not in text


def test_words_of_each_template_are_explained() -> None:
    said = {name for names in OF_TEMPLATE.values() for name in names}
    assert said == TERMS.keys()
    assert OF_TEMPLATE.keys() <= set(templates().list_templates())


def test_a_page_explains_its_words_once_and_names_its_days(owner: httpx.Client) -> None:
    page = shown(owner, "overview", startDate="2026-01-01", endDate="2026-09-30")
    assert page.text.count(TERMS["ETV"]) == page.text.count(TERMS["Mix"]) == 1
    assert "1 Jan 2026 – 30 Sep 2026" in page.text
    assert "Which teams delivered it?" in page.text


@pytest.mark.parametrize("path", ["pullRequests", "pullRequests/{id}"])
def test_pages_of_pull_requests_explain_their_own_rework(owner: httpx.Client, path: str) -> None:
    [one] = told(owner, "pullRequests", state="MERGED", pageSize=1)["pullRequests"]
    page = shown(owner, path.format(id=one["id"]))
    assert TERMS["Rework of a pull request"] in page.text
    assert TERMS["Rework"] not in page.text


def test_somebody_is_invited_in_two_clicks_from_each_page(owner: httpx.Client) -> None:
    link = f"{HOME}/members?invite=true"
    assert link in shown(owner, "overview").links
    page = shown(owner, "members", invite="true")
    assert "email" in page.fields
    assert page.text.count("Invite somebody") == 2
    # Its form is open, and so there is no button to choose.
    assert "The form above sends a link" in page.text
    assert "Choose “Invite…”" not in page.text
    assert "Choose “Invite…” to send a link" in shown(owner, "members").text


def test_who_may_not_invite_has_no_link_to_it(browser_of: Callable[[str], httpx.Client]) -> None:
    viewer = browser_of("viewer")
    assert f"{HOME}/members?invite=true" not in shown(viewer, "overview").links
    assert "email" not in shown(viewer, "members", invite="true").fields


def test_a_line_of_a_team_is_two_clicks_from_the_overview(owner: httpx.Client) -> None:
    """The link to the commits of a team, then the one of the commit with most value: its page has lines."""
    team = told(owner, "teams", filter="depth = 0", orderBy="etv desc", pageSize=1)["teams"][0]
    links = shown(owner, "overview", **ALL_DAYS).links
    [commits] = [link for link in links if link.startswith(f"{HOME}/commits?") and team["id"] in link]
    listed = Page(owner.get(commits).raise_for_status().text)
    first = next(link for link in listed.links if link.startswith(f"{HOME}/commits/"))
    assert 'id="lines"' in owner.get(first).raise_for_status().text
