"""Pages say to a lead of teams that figures are of a part of the work, and to other roles that they are of all."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from api.web.reading import Answer, OrganizationReader
from api.web.sessions.cookies import NAME
from tests.api.conftest import Deployment, client_for
from tests.api.moving_people import address_of, deployed, moving, moving_warehouse
from tests.api.people import join, sign_in
from tests.api.published_facts import ORGANIZATION
from tests.api.scoped_deployment import make_lead
from tests.api.web.conftest import HOME
from tests.api.web.pages import Page

__all__ = ["address_of", "deployed", "moving", "moving_warehouse"]
DAYS = "startDate=2026-04-01&endDate=2026-11-20"
ISSUE_CELLS = 5
NOTHING = "–no data"
HEADLINE = "Of the teams that you lead: "
Shown = Callable[[str], Page]


@contextmanager
def browsing(address: str, session: str) -> Iterator[Shown]:
    with client_for(address) as browser:
        browser.headers["Accept"] = "text/html"
        browser.cookies.set(NAME, session)
        yield lambda path: Page(browser.get(f"{HOME}/{path}").raise_for_status().text)


@pytest.fixture(scope="module")
def to_lead(deployed: Deployment, address_of: str) -> Iterator[Shown]:
    with browsing(address_of, sign_in(deployed.store, make_lead(deployed, ("Product",)))) as shown:
        yield shown


@pytest.fixture(scope="module")
def to_owner(deployed: Deployment, address_of: str) -> Iterator[Shown]:
    with browsing(address_of, sign_in(deployed.store, join(deployed.store, ORGANIZATION, "owner"))) as shown:
        yield shown


@pytest.mark.parametrize("kind", ["developers", "repositories"])
def test_the_first_benchmark_says_whose_sum_it_is(to_lead: Shown, to_owner: Shown, kind: str) -> None:
    asked = f"benchmarks?{DAYS}&kind={'DEVELOPER' if kind == 'developers' else 'REPOSITORY'}"
    part, whole = to_lead(asked), to_owner(asked)
    assert part.rows[1][0] == f"The teams that you leadthe sum of the {kind} whose work you see"
    assert "whole organization" not in part.text
    assert "as above" not in part.text
    assert whole.rows[1][0] == f"The whole organizationthe sum of all {kind}"
    assert part.rows[1][1] != whole.rows[1][1]


@pytest.mark.parametrize(
    "page", ["overview", "developers", "repositories", "commits", "pullRequests", "capex"]
)
def test_a_headline_about_figures_begins_with_whose_they_are(
    to_lead: Shown, to_owner: Shown, page: str
) -> None:
    assert to_lead(f"{page}?{DAYS}").text.count(HEADLINE) == 1
    assert HEADLINE not in to_owner(f"{page}?{DAYS}").text


@pytest.mark.parametrize("page", ["developers", "repositories"])
def test_the_headline_of_one_thing_begins_with_whose_figures_it_has(
    to_lead: Shown, to_owner: Shown, page: str
) -> None:
    named = f"{HOME}/{page}/"
    [first, *_] = [one for one in to_lead(f"{page}?{DAYS}").links if one.startswith(named)]
    here = first.removeprefix(f"{HOME}/")
    assert to_lead(here).text.count(HEADLINE) == 1
    assert HEADLINE not in to_owner(here).text


def test_objectives_say_whose_work_they_count(to_lead: Shown, to_owner: Shown) -> None:
    said = "are only those of the teams that you lead. Counts of issues have the work of everybody."
    assert said in to_lead("objectives").text
    assert said not in to_owner("objectives").text


def test_objectives_of_the_overview_say_whose_work_they_count(to_lead: Shown, to_owner: Shown) -> None:
    said = "not of the range above"
    assert f"{said}, and only of the teams that you lead." in to_lead("overview").text
    assert f"{said}." in to_owner("overview").text


def test_an_objective_says_whose_work_it_counts(to_lead: Shown, to_owner: Shown) -> None:
    named = f"{HOME}/objectives/"
    ids = {link.removeprefix(named) for link in to_lead("objectives").links if link.startswith(named)}
    assert ids
    part = [to_lead(f"objectives/{one}").text for one in ids]
    whole = [to_owner(f"objectives/{one}").text for one in ids]
    said = "only those of the teams that you lead"
    assert all(said in text for text in part)
    assert not any(said in text for text in whole)
    assert not any("Nobody has delivered a commit for it." in text for text in part)
    assert not any("Nobody whose work you see" in text for text in whole)


def test_a_list_without_teams_says_why(deployed: Deployment, address_of: str, to_owner: Shown) -> None:
    with browsing(address_of, sign_in(deployed.store, make_lead(deployed, ()))) as to_nobody:
        assert "You lead no team." in to_nobody("teams").text
        assert "There are no teams yet." not in to_nobody("teams").text
    for page in (to_owner("teams?search=zzz"), to_owner("teams")):
        assert "There are no teams yet." not in page.text
    assert "No team matches the search." in to_owner("teams?search=zzz").text


def test_work_that_a_lead_does_not_see_has_no_figures(
    to_lead: Shown, to_owner: Shown, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = f"{HOME}/objectives/"
    ids = {link.removeprefix(named) for link in to_lead("objectives").links if link.startswith(named)}
    read = OrganizationReader.read
    seen, unseen = {"etv": 3.0, "commits": 2}, {"etv": 0.0, "commits": 0}

    async def changed(self: OrganizationReader, path: str = "", **asked: object) -> Answer:
        answer = await read(self, path, **asked)
        if path.removeprefix("objectives/") not in ids:
            return answer
        issues = [issue | (unseen if at % 2 else seen) for at, issue in enumerate(answer.body["issues"])]
        return replace(answer, body=answer.body | {"issues": issues})

    monkeypatch.setattr(OrganizationReader, "read", changed)
    figures: dict[Shown, set[tuple[str, str]]] = {to_lead: set(), to_owner: set()}
    for shown, found in figures.items():
        for page in [shown(f"objectives/{one}") for one in ids]:
            found |= {(row[1], row[3]) for row in page.rows if len(row) == ISSUE_CELLS and row[0] != "Issue"}
            assert ("your teams have delivered no commit for it" in page.text) is (shown is to_lead)
    assert figures[to_lead] == {("3.0", "2"), (NOTHING, NOTHING)}
    assert figures[to_owner] == {("3.0", "2"), ("0.0", "0")}


def test_a_repository_says_why_a_lead_reads_no_performance_of_it(to_lead: Shown, to_owner: Shown) -> None:
    reason = "it would contain work that you may not see"
    listed = to_lead(f"repositories?{DAYS}")
    assert f"A dash for performance: {reason}." in listed.text
    assert reason not in to_owner(f"repositories?{DAYS}").text
    # A lead sees all work of a led team.
    assert reason not in to_lead(f"teams?{DAYS}").text
    named = f"{HOME}/repositories/"
    [first, *_] = [link.removeprefix(named).split("?")[0] for link in listed.links if link.startswith(named)]
    assert reason in to_lead(f"repositories/{first}?{DAYS}").text
    assert "nothing was delivered" not in to_lead(f"repositories/{first}?{DAYS}").text
    assert reason not in to_owner(f"repositories/{first}?{DAYS}").text


def test_a_lead_is_offered_the_drafts_of_the_led_teams_alone(to_lead: Shown, to_owner: Shown) -> None:
    listed, whole = to_lead("reports"), to_owner("reports")
    for team in ("Product", "Mobile", "Web"):
        assert f"This quarter of {team}" in listed.text
    refused, headline = "you may not see this summary", "Running periods have a draft"
    assert refused not in listed.text.lower()
    assert "This quarter of" not in whole.text
    drafts = [one for one in listed.links if "/draft-" in one]
    assert all("?team=" in one for one in drafts)
    # The headline claims drafts where there are some.
    assert (headline in listed.text) is bool(drafts)
    assert headline in whole.text


def test_a_lead_is_told_who_turns_checks_on(to_lead: Shown, to_owner: Shown) -> None:
    assert "an owner or admin of" in to_lead("checks").text
    assert "turn some on" not in to_lead("checks").text
    assert "turn some on" in to_owner("checks").text


def test_capex_has_no_states_and_no_calendar_for_a_lead(to_lead: Shown, to_owner: Shown) -> None:
    part, whole = to_lead(f"capex?{DAYS}"), to_owner(f"capex?{DAYS}")
    assert any("OpEx h" in row and row[-1] == "OpEx h" for row in part.rows)
    assert any("OpEx h" in row and row[-1] == "State" for row in whole.rows)
    assert f"{HOME}/calendar" not in part.links
    assert f"{HOME}/calendar" in whole.links


def test_an_average_that_is_hidden_is_not_called_shown(to_lead: Shown, to_owner: Shown) -> None:
    said = "so that only the average is here"
    for kind in ("DEVELOPER", "REPOSITORY"):
        for shown in (to_lead, to_owner):
            page = shown(f"benchmarks?{DAYS}&kind={kind}")
            assert "is saved" in page.text
            assert (said in page.text) is not page.rows[2][1].startswith("–"), (kind, page.rows[2])
