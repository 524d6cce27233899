"""Pages say of what a spend is: what it leaves out, per which ETV, and of how many people."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from api.web.drawing.figures import cost_basis
from api.web.sessions.cookies import NAME
from tests.api.conftest import Deployment, client_for
from tests.api.people import sign_in
from tests.api.published_facts import Facts
from tests.api.scoped_deployment import make_lead_of, put_teams
from tests.api.web import test_details
from tests.api.web.conftest import HOME
from tests.api.web.money.test_ai import DAYS, amount
from tests.api.web.own_organization import address, published
from tests.api.web.pages import Page

__all__ = ["address", "published"]


@pytest.fixture(scope="module")
def browser(browser_of: Callable[[str], httpx.Client]) -> httpx.Client:
    return browser_of("owner")


@pytest.fixture(scope="module", autouse=True)
def teams(published: Deployment, facts: Facts) -> None:
    put_teams(published, facts)


def told(browser: httpx.Client, path: str, **asked: Any) -> dict[str, Any]:
    return test_details.told(browser, path, **DAYS, **asked)


def shown(browser: httpx.Client, path: str, **asked: Any) -> Page:
    return Page(browser.get(f"{HOME}/{path}", params=DAYS | asked).raise_for_status().text)


def without_commit(browser: httpx.Client, **asked: Any) -> float:
    rows = told(browser, "aiSpend/work", groupBy="COMMIT", filter="isLinked = false", **asked)["work"]
    found: float = next(row["cost"] for row in rows if row["currency"] == "USD")
    return found


def test_a_repository_says_what_reaches_no_commit(browser: httpx.Client) -> None:
    row = told(browser, "repositories", filter="aiCost > 0", pageSize=1)["repositories"][0]
    page = shown(browser, f"repositories/{row['id']}")
    lacking = without_commit(browser)
    assert f"A further {amount(lacking, 'USD')} of the organization reaches no commit" in page.text
    # The amount has that of bots and of nobody known, which no person or team has.
    assert "It can be that of people, of bots, or of nobody known." in page.text
    [link] = [
        one
        for one in page.links
        if one.startswith(f"{HOME}/ai?") and one.endswith("#work") and "work=" not in one
    ]
    rows = Page(browser.get(link).raise_for_status().text)
    assert rows.row("Usage without a commit")[1].startswith(amount(lacking, "USD"))


def test_a_lead_reads_of_the_spend_of_the_led_teams(
    browser: httpx.Client, address: str, published: Deployment
) -> None:
    [team, *_] = told(browser, "teams", filter="aiCost > 0")["teams"]
    session = sign_in(published.store, make_lead_of(published, (team["id"],)))
    with client_for(address) as lead:
        lead.headers["Accept"] = "text/html"
        lead.cookies.set(NAME, session)
        row = told(lead, "repositories", pageSize=1)["repositories"][0]
        page = shown(lead, f"repositories/{row['id']}")
        lacking = without_commit(lead)
        spend = shown(lead, "ai").text
    assert "of the ETV of the teams that you lead was written with AI" in spend
    assert "How do spend and share develop? Of the teams that you lead." in spend
    assert "of the ETV of the organization was written with AI" in shown(browser, "ai").text
    assert f"A further {amount(lacking, 'USD')} of the teams that you lead reaches no commit" in page.text
    assert lacking < without_commit(browser)


def test_a_team_says_how_much_of_its_spend_reaches_no_repository(
    browser: httpx.Client,
) -> None:
    teams = told(browser, "teams", filter="aiCost > 0")["teams"]
    for team in teams:
        lacking = without_commit(browser, team=team["id"])
        page = shown(browser, f"teams/{team['id']}")
        assert f"{amount(lacking, 'USD')} of it reaches no commit, and so no repository." in page.text
    assert teams


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("overview", "per total ETV"),
        ("developers", "per total ETV"),
        ("benchmarks", "per total ETV"),
        ("ai", "per linked ETV"),
    ],
)
def test_cost_per_etv_names_its_etv(browser: httpx.Client, path: str, said: str) -> None:
    found = shown(browser, path).text
    assert said in found
    assert "per ETV" not in found


def test_one_sentence_relates_the_prices_of_an_etv(browser: httpx.Client) -> None:
    text = shown(browser, "ai").text
    assert "AI spend has three prices, and less work makes a higher one" in text
    assert "per total ETV of a person" in text
    assert "the linked part per linked ETV, which is the value of the commits of a row alone" in text


def test_recorded_use_is_told_from_signs_in_commits(browser: httpx.Client) -> None:
    people = told(browser, "developers", filter="isBot = false AND commits > 0", pageSize=100)["developers"]
    signed = [one for one in people if one["aiCommits"]]
    page = shown(browser, "ai")
    assert f"{len(signed)} of {len(people)} developers have commits with a sign" in page.text
    assert "With recorded use" in page.text


def test_an_average_says_over_how_many_people_with_spend(browser: httpx.Client) -> None:
    body = told(browser, "developers", benchmark="ORGANIZATION_AVERAGE", pageSize=100)
    spent = [one["aiCost"] for one in body["developers"] if one["aiCost"] is not None and not one["isBot"]]
    average = body["benchmark"]
    assert average["aiCostMemberCount"] == len(spent) != average["memberCount"]
    assert average["aiCost"] == pytest.approx(sum(spent) / len(spent))
    assert f"of the {len(spent)} with a recorded spend" in shown(browser, "benchmarks").text


@pytest.mark.parametrize(("path", "name"), [("commits", "commit"), ("pullRequests", "commits")])
def test_a_cost_without_a_sign_of_ai_names_its_reason(browser: httpx.Client, path: str, name: str) -> None:
    rows = told(browser, path, pageSize=1000)[path]
    costly = next(one for one in rows if one["aiCost"] and not one["isAiAssisted"])
    text = shown(browser, f"{path}/{costly['id']}").text
    assert f"no sign in the {name}" in text
    assert cost_basis(costly).replace("\u00a0", " ") in text.replace("\u00a0", " ")
