"""Each bar of a chart leads to the rows behind it, as the table below the chart does."""

import re
from collections.abc import Callable
from html import unescape
from urllib.parse import parse_qsl

import httpx
import pytest

from api.web.drawing.bars import leading
from api.web.drawing.figures import MINUS
from tests.api.published_facts import Facts
from tests.api.web.conftest import HOME
from tests.api.web.own_organization import address, published
from tests.api.web.pages import Page
from tests.api.web.test_work import ALL_DAYS, shown, told

__all__ = ["address", "published"]

DRAWN = (
    '<svg><g fill="none" transform="translate(48,4)"><g><path class="background" aria-hidden="true" '
    'd="M0,0h300v200h-300Z"/></g></g></svg>'
)
POINTS = [
    {"start": "2026-10-01", "days": {"startDate": "2026-10-05", "endDate": "2026-10-31"}, "etv": 9.44},
    {"start": "2026-11-01", "days": {"startDate": "2026-11-01", "endDate": "2026-11-30"}, "etv": 0},
    {"start": "2026-12-01", "days": {"startDate": "2026-12-01", "endDate": "2026-12-02"}, "etv": 1.0},
]
WAYS = re.compile(r'<g class="ways".*?</g>', re.DOTALL)


@pytest.fixture(scope="module")
def owner(browser_of: Callable[[str], httpx.Client]) -> httpx.Client:
    return browser_of("owner")


def links_of(text: str) -> list[tuple[str, str]]:
    found = re.findall(r'<a href="([^"]*)" aria-label="([^"]*)"', text)
    return [(unescape(link), unescape(name)) for link, name in found]


def test_a_bar_leads_to_its_days_and_is_named_by_its_figure() -> None:
    made = leading(DRAWN, POINTS, "MONTH", "etv", "/commits", {"team": 'a"b'})
    first, second = links_of(made)
    assert first == ("/commits?team=a%22b&startDate=2026-10-05&endDate=2026-10-31", "Oct 2026: 9.4 ETV")
    assert second[0].endswith("startDate=2026-12-01&endDate=2026-12-02")
    # Bars stand side by side, and one without a figure has no link.
    assert re.findall(r'<rect x="([^"]*)" width="([^"]*)" height="([^"]*)"', made) == [
        ("0", "100", "200"),
        ("200", "100", "200"),
    ]
    assert 'transform="translate(48,4)">' in made
    assert Page(made).open == []


@pytest.mark.parametrize("svg", ["<svg></svg>", "", DRAWN.replace("</svg>", "")])
def test_what_is_no_chart_stays_as_it_is(svg: str) -> None:
    assert leading(svg, POINTS, "MONTH", "etv", "/commits") == svg


def test_a_chart_without_buckets_stays_as_it_is() -> None:
    assert leading(DRAWN, [], "MONTH", "etv", "/commits") == DRAWN


def test_a_figure_has_the_unit_of_its_metric() -> None:
    def name(metric: str, value: float) -> str:
        return links_of(leading(DRAWN, [POINTS[0] | {metric: value}], "MONTH", metric, "/"))[0][1]

    assert name("mergedPullRequests", 1) == "Oct 2026: 1 pull request"
    assert name("aiCost", 77.42) == "Oct 2026: $77.42"
    assert name("aiShareAtLeast", 0.5).startswith("Oct 2026: ≥")
    assert name("pullRequestEtv", -1) == f"Oct 2026: {MINUS}1.0 ETV, median".replace(MINUS, "-")


@pytest.mark.parametrize("kind", ["overview", "developers", "repositories"])
def test_bars_lead_where_the_table_of_the_chart_leads(owner: httpx.Client, kind: str) -> None:
    path = kind if kind == "overview" else f"{kind}/{told(owner, kind, pageSize=1)[kind][0]['id']}"
    text = owner.get(f"{HOME}/{path}", params={"interval": "QUARTER"} | ALL_DAYS).text
    [ways] = WAYS.findall(text)
    table = text.split("<table data-plots")[1].split("</table>")[0]
    rows = [unescape(one) for one in re.findall(r'<td class="r main"><a href="([^"]*)"', table)]
    assert rows
    assert [link for link, _ in links_of(ways)] == rows


def test_the_rows_behind_a_bar_add_up_to_it(owner: httpx.Client) -> None:
    text = owner.get(f"{HOME}/overview", params={"interval": "QUARTER"} | ALL_DAYS).text
    for link, name in links_of(WAYS.findall(text)[0]):
        sum_of = Page(owner.get(link).text).row("All ")
        assert name.endswith(f": {sum_of[1]} ETV")


def test_bars_of_pull_requests_lead_to_those_that_were_merged(owner: httpx.Client, facts: Facts) -> None:
    text = owner.get(f"{HOME}/pullRequests", params={"interval": "QUARTER"} | ALL_DAYS).text
    merged, worth = WAYS.findall(text)
    assert links_of(merged)
    for link, name in links_of(merged):
        days = dict(parse_qsl(link.partition("?")[2]))
        assert days.pop("view") == "MERGED"
        assert days.pop("bots") == "false"
        rows = told(
            owner,
            "pullRequests",
            state="MERGED",
            dateOf="MERGED",
            filter="isBot = false",
            pageSize=1000,
            **days,
        )["pullRequests"]
        counted = [one for one in rows if one["repositoryId"] != facts.sandbox]
        assert name.endswith(f": {len(counted)} pull request{'s' if len(counted) != 1 else ''}")
        assert f"of {len(rows)} pull request" in Page(owner.get(link).text).text
    assert all(link.startswith(f"{HOME}/commits?") for link, _ in links_of(worth))


def test_charts_of_ai_have_a_table_whose_rows_lead_on(owner: httpx.Client) -> None:
    page = shown(owner, "ai", interval="QUARTER", **ALL_DAYS)
    points = told(owner, "metrics", metrics="aiCost,aiShareAtLeast", interval="QUARTER", **ALL_DAYS)
    known = [one for one in points["series"][0]["points"] if one["aiCost"]]
    assert known
    text = owner.get(f"{HOME}/ai", params={"interval": "QUARTER"} | ALL_DAYS).text
    spend, share = WAYS.findall(text)
    assert len(links_of(spend)) == len(known)
    assert all("aiAssisted=true" in link for link, _ in links_of(share))
    for link, _ in links_of(spend) + links_of(share):
        assert link in page.links[page.links.index(link) + 1 :], "the table has the link too"
