"""The sum below a list of commits is that of the list, and a figure leads to no list with another sum."""

from collections.abc import Callable

import httpx
import pytest

from api.web.pages.movements import CATEGORIES
from tests.api.published_facts import Facts
from tests.api.web.conftest import HOME
from tests.api.web.test_work import ALL_DAYS, shown, told


@pytest.fixture(scope="module")
def owner(browser_of: Callable[[str], httpx.Client]) -> httpx.Client:
    return browser_of("owner")


def test_the_list_of_commits_has_its_total(owner: httpx.Client) -> None:
    repository = told(owner, "repositories", pageSize=1, filter="isSandbox = false", **ALL_DAYS)[
        "repositories"
    ][0]
    page = shown(owner, "commits", repository=repository["id"], **ALL_DAYS)
    series = told(owner, "metrics", metrics="etv", interval="YEAR", repository=repository["id"], **ALL_DAYS)[
        "series"
    ]
    whole = sum(point["etv"] for point in series[0]["points"])
    [total] = [row for row in page.rows if row[0].startswith("All ") and "commits" in row[0]]
    assert total[1] == f"{whole:,.1f}"
    # No series knows these commits alone.
    narrowed = shown(owner, "commits", counted="false", **ALL_DAYS)
    assert not [row for row in narrowed.rows if row[0].startswith("All ")]


@pytest.mark.parametrize("chosen", [{"aligned": "false"}, {"aiAssisted": "true"}])
@pytest.mark.parametrize("interval", ["MONTH", "YEAR"])
def test_work_that_a_share_counts_has_its_sum(
    owner: httpx.Client, facts: Facts, chosen: dict[str, str], interval: str
) -> None:
    listed = told(owner, "commits", pageSize=1000, **chosen, **ALL_DAYS)["commits"]
    whole = sum(
        one["etv"]
        for one in listed
        if one["repositoryId"] != facts.sandbox and one["developerId"] != facts.bot
    )
    page = shown(owner, "commits", interval=interval, **chosen, **ALL_DAYS)
    [total] = [row for row in page.rows if row[0].startswith("All ")]
    assert total[1] == f"{whole:,.1f}"
    # Two choices at once are of no series.
    both = {"counted": "true"} | chosen
    assert not [row for row in shown(owner, "commits", **both, **ALL_DAYS).rows if row[0].startswith("All ")]


def test_work_that_reaches_an_objective_has_the_sum_of_its_share(owner: httpx.Client) -> None:
    whole = told(owner, "repositories", pageSize=1, **ALL_DAYS)["totals"]
    page = shown(owner, "commits", reachesObjective="true", interval="YEAR", **ALL_DAYS)
    [total] = [row for row in page.rows if row[0].startswith("All ")]
    assert float(total[1]) == pytest.approx(whole["etv"] * whole["roadmapAlignment"], abs=0.06)


@pytest.mark.parametrize("category", [one.upper() for one in CATEGORIES])
def test_a_list_of_commits_of_a_main_category_has_no_sum_of_other_work(
    owner: httpx.Client, category: str
) -> None:
    listed = told(owner, "commits", category=category, pageSize=1000, **ALL_DAYS)["commits"]
    mixed = [one for one in listed if one["etv"] != one[f"{category.lower()}Etv"]]
    page = shown(owner, "commits", category=category, **ALL_DAYS)
    assert mixed
    assert not [row for row in page.rows if row[0].startswith("All ")]
    assert f"Only those whose main category is {category.lower()}." in page.text


def test_a_figure_of_a_category_leads_to_no_other_figure(owner: httpx.Client) -> None:
    page = shown(owner, "overview", **ALL_DAYS)
    [link] = [one for one in page.links if "category=TESTS" in one]
    assert link.startswith(f"{HOME}/commits?")
    assert "the commits of which it is the main one" in page.text


def test_a_sum_of_a_named_sandbox_has_its_work(owner: httpx.Client) -> None:
    [sandbox] = told(owner, "repositories", filter="isSandbox = true", **ALL_DAYS)["repositories"]
    page = shown(owner, "commits", repository=sandbox["id"], **ALL_DAYS)
    [total] = [row for row in page.rows if row[0].startswith("All ")]
    assert total[0].endswith("without bots, as in all totals")
    assert total[1] != "0.0"
    every = shown(owner, "commits", **ALL_DAYS)
    assert next(row for row in every.rows if row[0].startswith("All "))[0].endswith(
        "without bots and sandboxes, as in all totals"
    )


def test_the_list_leads_to_work_without_an_issue_and_keeps_what_it_shows(owner: httpx.Client) -> None:
    page = shown(owner, "commits", category="FEATURES", **ALL_DAYS)
    [link] = [one for one in page.links if "aligned=false" in one]
    assert "category=FEATURES" in link
    narrowed = shown(owner, "commits", category="FEATURES", aligned="false", **ALL_DAYS)
    assert "that belong to no issue" in narrowed.text
    listed = told(owner, "commits", category="FEATURES", aligned="false", pageSize=1, **ALL_DAYS)
    assert f"{listed['totalSize']:,} commit" in narrowed.text
    assert "Show only those that belong to no issue" in page.text
    assert "Show only those that belong to no issue" not in narrowed.text


def test_figures_about_objectives_lead_to_their_commits(owner: httpx.Client) -> None:
    objectives = shown(owner, "objectives", **ALL_DAYS)
    assert "ETV from 1 Jan 2020 to 31 Dec 2026 alone" in objectives.text
    [apart] = [one for one in objectives.links if "aligned=true" in one]
    assert apart.endswith("aligned=true&reachesObjective=false")
    listed = told(owner, "commits", aligned=True, reachesObjective=False, pageSize=1, **ALL_DAYS)
    page = shown(owner, "commits", aligned="true", reachesObjective="false", **ALL_DAYS)
    assert f"{listed['totalSize']:,} commits were delivered" in page.text
    assert "Only those that belong to an issue, that reach no objective." in page.text
    repository = told(owner, "repositories", pageSize=1, **ALL_DAYS)["repositories"][0]["id"]
    links = shown(owner, f"repositories/{repository}", **ALL_DAYS).links
    assert [one for one in links if one.endswith(f"repository={repository}&reachesObjective=true")]
