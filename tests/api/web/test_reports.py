"""Summaries in the browser: texts and figures of the interface, drafts with their label, files, and mail."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import date
from typing import Any

import httpx
import pytest

from api.control.summaries import revisions
from api.control.summaries.kinds import Period
from api.web.drawing.figures import moment
from api.web.sessions.cookies import NAME
from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.people import join, sign_in
from tests.api.published_facts import ORGANIZATION
from tests.api.scoped_deployment import make_lead_of, put_teams
from tests.api.summary_texts import key_of, put
from tests.api.web.conftest import HOME
from tests.api.web.pages import Page

REPORTS = f"{HOME}/reports"


@pytest.fixture
def summary(deployment: Deployment) -> str:
    return put(deployment.store, key_of())


@pytest.fixture
def reader(
    deployment: Deployment, summary: str, serve: Callable[..., AbstractContextManager[str]]
) -> Iterator[httpx.Client]:
    """A browser of an owner."""
    deployment.publish()
    session = sign_in(deployment.store, join(deployment.store, ORGANIZATION, "owner"))
    with serve(deployment.data_dir) as address, client_for(address) as made:
        made.headers["Accept"] = "text/html"
        made.cookies.set(NAME, session)
        yield made


def rest(browser: httpx.Client, path: str, **asked: str) -> Any:
    session = browser.cookies[NAME]
    answer = browser.get(
        f"{ROOT}/{path}",
        params=asked,
        headers={"Authorization": f"Bearer {session}", "Accept": "application/json"},
    )
    assert answer.status_code == 200, answer.text
    return answer.json()


def parts_of(document: dict[str, Any]) -> list[str]:
    return [
        part["text"]
        for section in document["sections"]
        for item in section["items"]
        for part in item["parts"] + [part for row in item["rows"] for cell in row for part in cell]
    ]


def test_a_summary_is_listed_and_says_what_the_interface_says(reader: httpx.Client, summary: str) -> None:
    assert f"{REPORTS}/{summary}" in Page(reader.get(REPORTS).text).links
    found = Page(reader.get(f"{REPORTS}/{summary}").text)
    told = parts_of(rest(reader, f"summaries/{summary}")["document"])
    assert told
    for part in told:
        assert " ".join(part.split()) in found.text
    assert (found.blocked, found.open) == ([], [])


def test_a_running_period_is_labelled_as_a_draft(reader: httpx.Client) -> None:
    assert f"{REPORTS}/draft-week" in Page(reader.get(REPORTS).text).links
    found = Page(reader.get(f"{REPORTS}/draft-week").text)
    document = rest(reader, "summaries:preview", period="WEEK")["document"]
    assert found.heading.endswith("draft")
    for part in parts_of(document):
        assert " ".join(part.split()) in found.text


def test_a_running_period_without_work_has_no_draft(reader: httpx.Client) -> None:
    assert "no work yet, and so no draft" in Page(reader.get(REPORTS).text).text
    assert f"{REPORTS}/draft-quarter" not in Page(reader.get(REPORTS).text).links


@pytest.mark.parametrize(("kind", "begins"), [("PDF", b"%PDF-"), ("HTML", b"<!"), ("Markdown", b"#")])
def test_a_summary_is_a_file_too(reader: httpx.Client, summary: str, kind: str, begins: bytes) -> None:
    answer = reader.get(f"{REPORTS}/{summary}/{kind}")
    assert answer.status_code == 200, answer.text
    assert answer.content.lstrip().startswith(begins)
    assert answer.headers["content-disposition"].startswith("attachment")


def test_an_unknown_summary_is_told_in_place_and_has_no_file(reader: httpx.Client) -> None:
    assert reader.get(f"{REPORTS}/0190d3b0-0000-7000-8000-000000000099").status_code == 404
    answer = reader.get(f"{REPORTS}/0190d3b0-0000-7000-8000-000000000099/PDF")
    assert answer.headers["location"] == f"{REPORTS}/0190d3b0-0000-7000-8000-000000000099"
    assert reader.get(f"{REPORTS}/draft-week/DOC").status_code == 400
    assert reader.get(f"{REPORTS}/draft-<b>").status_code == 400


def test_a_subscription_begins_and_ends_by_forms(reader: httpx.Client) -> None:
    token = Page(reader.get(REPORTS).text).fields["token"]
    done = reader.post(REPORTS, data={"token": token, "act": "subscribe", "period": "MONTH"})
    assert done.status_code == 303, done.text
    [made] = rest(reader, "summarySubscriptions")["summarySubscriptions"]
    assert (made["period"], made["scopeKind"]) == ("MONTH", "ORGANIZATION")
    reader.post(REPORTS, data={"token": token, "act": "unsubscribe", "subscription": made["id"]})
    assert rest(reader, "summarySubscriptions")["summarySubscriptions"] == []


def test_a_forged_form_changes_nothing(reader: httpx.Client) -> None:
    answer = reader.post(REPORTS, data={"token": "x", "act": "subscribe", "period": "MONTH"})
    assert answer.status_code == 403
    assert rest(reader, "summarySubscriptions")["summarySubscriptions"] == []


def test_a_text_of_an_earlier_build_says_its_time_and_what_is_so_now(
    deployment: Deployment, reader: httpx.Client, summary: str
) -> None:
    written = rest(reader, f"summaries/{summary}")["revision"]["generatedAt"]
    text = Page(reader.get(f"{REPORTS}/{summary}").text).text
    assert f"The text was written {moment(written)} UTC from an earlier build" in text
    # Builds compare no text that is older than their facts, and no progress and no open decisions.
    assert "another value now" not in text
    [stored] = revisions.stored_since(deployment.store, ORGANIZATION, {Period.WEEK: date(2026, 11, 1)})
    change = {"factId": "etv", "field": "value", "before": "41.7", "after": "39.2", "people": None}
    revisions.note_restatement(deployment.store, ORGANIZATION, stored, "b2", "b2", [change])
    found = Page(reader.get(f"{REPORTS}/{summary}").text)
    assert "1 figure of the text has another value now." in found.text
    assert found.row("ETV") == ["ETV", "41.7", "39.2"]


def test_a_lead_finds_drafts_and_mails_of_the_led_teams(
    deployment: Deployment, serve: Callable[..., AbstractContextManager[str]]
) -> None:
    deployment.publish()
    put_teams(deployment, deployment.facts)
    team, (name, *_) = next(iter(deployment.facts.teams.items()))
    session = sign_in(deployment.store, make_lead_of(deployment, (team,)))
    with serve(deployment.data_dir) as address, client_for(address) as lead:
        lead.headers["Accept"] = "text/html"
        lead.cookies.set(NAME, session)
        found = Page(lead.get(REPORTS).text)
        assert f"This week of {name} draft" in found.text
        assert "You may not see this summary" not in found.text
        # Only members and above may ask for new texts.
        assert "Write again" not in found.text
        draft = f"{REPORTS}/draft-week?team={team}"
        assert draft in found.links
        page = Page(lead.get(draft).text)
        assert page.heading.startswith(name)
        assert f"{REPORTS}/draft-week/Markdown?team={team}" in page.links
        assert lead.get(f"{REPORTS}/draft-week/Markdown?team={team}").text.count(name)
        fields = {"token": found.fields["token"], "act": "subscribe", "period": "WEEK", "team": team}
        answer = lead.post(REPORTS, data=fields, follow_redirects=True)
        assert answer.status_code == 200
        assert f"Each week, {name}" in Page(answer.text).text


def test_who_may_not_write_texts_again_is_not_offered_it(
    deployment: Deployment, serve: Callable[..., AbstractContextManager[str]]
) -> None:
    deployment.publish()
    with serve(deployment.data_dir) as address:
        for role, offered in (("member", True), ("viewer", False)):
            with client_for(address) as person:
                person.headers["Accept"] = "text/html"
                person.cookies.set(
                    NAME, sign_in(deployment.store, join(deployment.store, ORGANIZATION, role))
                )
                assert ("Write again" in person.get(REPORTS).text) is offered
