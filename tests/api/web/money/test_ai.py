"""The page of AI shows what `/api/v1` answers: cost by tool, person, model and team, and the work behind it."""

import csv
import io
from collections import Counter
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx
import pytest

from api.web.drawing.figures import sure
from tests.api.conftest import ROOT
from tests.api.web.conftest import HOME
from tests.api.web.pages import Page

DAYS = {"startDate": "2024-01-01", "endDate": "2026-11-20"}


def told(client: httpx.Client, path: str, **asked: str) -> list[dict[str, Any]]:
    answer = client.get(f"{ROOT}/{path}", params=DAYS | {"pageSize": "25"} | asked)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["work" if "work" in path else path.rpartition("/")[2]]
    return found


def shown(browser: httpx.Client, **asked: str) -> Page:
    answer = browser.get(f"{HOME}/ai", params=DAYS | asked)
    assert answer.status_code == 200, answer.text
    return Page(answer.text)


def amount(value: float | None, currency: str | None) -> str:
    """An amount as the page must write it, written again in the plainest way."""
    if value is None:
        return "–no data"
    sign = "$" if currency == "USD" else f"{currency}\u00a0"
    digits = f"{abs(value):,.0f}" if abs(value) >= 100 or value == 0 else f"{abs(value):,.2f}"
    if 0 < value < 0.01:
        return " ".join(f"<\u00a0{sign}0.01".split())
    return " ".join((("−" if value < 0 else "") + sign + digits).split())


@pytest.mark.parametrize("group", ["TOOL", "DEVELOPER", "MODEL", "TEAM"])
def test_each_grouping_has_the_costs_of_the_interface(
    browser: httpx.Client, client: httpx.Client, group: str
) -> None:
    rows = told(client, "aiSpend", groupBy=group)
    assert rows
    table = shown(browser, groupBy=group).rows
    cells = Counter(row[1].partition(" tokens")[0].split(" ")[0] for row in table if len(row) == 7)
    wanted = Counter(amount(row["cost"], row["currency"]).split(" ")[0] for row in rows)
    assert not wanted - cells


def test_what_nobody_is_known_for_is_a_row(browser: httpx.Client, client: httpx.Client) -> None:
    unknown = [row for row in told(client, "aiSpend", groupBy="DEVELOPER") if row["developerId"] is None]
    found = shown(browser, groupBy="DEVELOPER").text
    for row in unknown:
        name = "Nobody who is known" if row["actor"] in (None, "unattributed") else row["actor"]
        assert name in found


def test_the_first_sentences_say_what_reaches_no_commit(browser: httpx.Client, client: httpx.Client) -> None:
    asked = {"groupBy": "OBJECTIVE", "orderBy": "isLinked,cost desc"}
    rows = [row for row in told(client, "aiSpend/work", **asked) if row["missingLink"] == "NO_COMMIT"]
    text = shown(browser).text
    assert rows
    for row in rows:
        assert amount(row["cost"], row["currency"]) in text.partition("reaches no commit")[0][-80:]
    linked = shown(browser, startDate="2020-01-01", endDate="2020-12-31").text
    assert "reaches no commit" not in linked


HEADS = {
    "NO_COMMIT": "Usage without a commit",
    "NO_PULL_REQUEST": "Commits without a pull request",
    "NO_ISSUE": "Commits without an issue",
    "NO_OBJECTIVE": "Issues without an objective",
}


@pytest.mark.parametrize("group", ["OBJECTIVE", "ISSUE", "PULL_REQUEST", "COMMIT"])
def test_work_has_its_cost_and_the_rest_has_rows_with_what_is_missing(
    browser: httpx.Client, client: httpx.Client, group: str
) -> None:
    rows = told(client, "aiSpend/work", groupBy=group, pageSize="1000")
    linked = [row for row in rows if row["isLinked"]]
    rest = [row for row in rows if not row["isLinked"]]
    assert rest
    found = shown(browser, work=group)
    for row in (*linked[: 15 - len(rest)], *rest):
        name = row["title"] if group == "COMMIT" else row["name"] or row["title"]
        head = name if row["isLinked"] else HEADS[row["missingLink"]]
        cells = [
            (one[1], one[4], one[5])
            for one in found.rows
            if len(one) == 8 and one[0].startswith(" ".join(head.split()))
        ]
        # A telephone has no column of confidence, so the cell of the cost says it there.
        said = " ".join(sure({"aiCost": row["cost"], "aiCostConfidence": row["confidence"]}).split())
        cost = f"{amount(row['cost'], row['currency'])}{said}"
        told_cells = (cost, f"{row['people']:,}", f"{row['commits']:,}")
        assert told_cells in cells, head


@pytest.mark.parametrize("missing", ["NO_ISSUE", "NO_OBJECTIVE"])
def test_an_amount_that_reaches_no_objective_leads_to_its_commits(
    browser: httpx.Client, client: httpx.Client, missing: str
) -> None:
    rest = [
        row
        for row in told(client, "aiSpend/work", groupBy="OBJECTIVE", pageSize="1000")
        if not row["isLinked"] and row["missingLink"] == missing
    ]
    page = shown(browser)
    [link] = {one for one in page.links if f"missing={missing}" in one}
    found = Page(browser.get(link).text)
    commits = told(client, "aiSpend/work", groupBy="COMMIT", pageSize="1000")
    wanted = [one for one in commits if one["isLinked"] and one["missingLink"] == missing]
    assert len(wanted) == sum(row["commits"] for row in rest) > 0
    assert f"{min(15, len(wanted))} of {len(wanted)} rows" in found.text or len(wanted) <= 15
    for one in wanted[:15]:
        assert f"{HOME}/commits/{one['id']}" in found.links
    # The file has them too.
    [file] = [one for one in found.links if "/files/aiSpend/work" in one]
    listed = csv.DictReader(io.StringIO(browser.get(file).raise_for_status().text))
    assert [row["id"] for row in listed] == [one["id"] for one in wanted]


def test_each_linked_amount_leads_to_its_rows(browser: httpx.Client, client: httpx.Client) -> None:
    for group in ("OBJECTIVE", "ISSUE", "PULL_REQUEST"):
        first = next(row for row in told(client, "aiSpend/work", groupBy=group) if row["isLinked"])
        link = next(one for one in shown(browser, work=group).links if first["id"] in one)
        assert browser.get(link).status_code == 200, link


def test_the_cost_of_each_objective_is_one_link_from_the_overview(browser: httpx.Client) -> None:
    overview = Page(browser.get(f"{HOME}/overview").text)
    assert f"{HOME}/ai" in overview.links
    assert "Objective" in [row[0] for row in shown(browser).rows if row]


def test_days_without_usage_have_a_sentence_and_no_zero(browser: httpx.Client) -> None:
    found = Page(browser.get(f"{HOME}/ai", params={"startDate": "2001-01-01", "endDate": "2001-02-01"}).text)
    assert "No AI usage was recorded" in found.text
    assert "$0" not in found.text


@pytest.mark.parametrize("role", ["owner", "admin", "member", "viewer", "team_lead"])
def test_every_role_gets_the_page_of_its_own_figures(
    browser_of: Callable[[str], httpx.Client], role: str
) -> None:
    browser = browser_of(role)
    session = next(iter(browser.cookies.values()))
    answer = browser.get(
        f"{ROOT}/aiSpend", params=DAYS | {"pageSize": "25"}, headers={"Authorization": f"Bearer {session}"}
    )
    page = browser.get(f"{HOME}/ai", params=DAYS)
    assert page.status_code == answer.status_code
    for row in answer.json().get("aiSpend", []):
        assert amount(row["cost"], row["currency"]) in Page(page.text).text


FILES = {
    "aiSpend": ("aiSpend", "cost", "cost"),
    "aiSpend/work": ("work", "cost", "cost"),
    "aiSpend/adoption": ("points", "ai_developers", "aiDevelopers"),
    "aiSpend/reconciliation": ("reconciliation", "vendor_tokens", "vendorTokens"),
}
"""By list: the name of its rows, a column of its file, and the field of the interface for it."""


@pytest.mark.parametrize("narrowed", [{}, {"tool": "cursor"}])
def test_each_table_has_a_file_with_the_rows_of_the_interface(
    browser: httpx.Client, client: httpx.Client, narrowed: dict[str, str]
) -> None:
    links = [urlsplit(link) for link in shown(browser, **narrowed).links if "/files/" in link]
    assert [one.path.partition("/files/")[2] for one in links] == list(FILES)
    for link, (name, (rows, column, field)) in zip(links, FILES.items(), strict=True):
        asked = dict(parse_qsl(link.query)) | {"format": "JSON"}
        # Adoption is that of a team or the organization, whatever the tool.
        assert asked.get("tool") == (narrowed.get("tool") if name != "aiSpend/adoption" else None)
        if name != "aiSpend/adoption":
            asked["pageSize"] = "1000"
        listed = client.get(f"{ROOT}/{name}", params=asked).raise_for_status().json()[rows]
        answer = browser.get(link.geturl()).raise_for_status()
        assert answer.headers["content-type"] == "text/csv; charset=utf-8"
        found = [row[column] for row in csv.DictReader(io.StringIO(answer.text))]
        assert found == ["" if row[field] is None else str(row[field]) for row in listed]
        assert found


def test_the_file_of_adoption_is_that_of_the_shown_team(browser: httpx.Client, client: httpx.Client) -> None:
    team = next(row["teamId"] for row in told(client, "aiSpend", groupBy="TEAM") if row["teamId"])
    [link] = [one for one in shown(browser, team=team).links if "/files/aiSpend/adoption" in one]
    assert dict(parse_qsl(urlsplit(link).query))["team"] == team


@pytest.mark.parametrize("column", ["cost", "people", "activeDays", "requests", "etv", "costPerEtv"])
def test_each_head_sorts(browser: httpx.Client, column: str) -> None:
    assert "aria-sort" in browser.get(f"{HOME}/ai", params=DAYS | {"orderBy": f"{column} desc"}).text


@pytest.mark.parametrize("hostile", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>'])
def test_hostile_text_of_the_address_is_text(browser: httpx.Client, hostile: str) -> None:
    answer = browser.get(f"{HOME}/ai", params={"tool": hostile, "groupBy": hostile, "work": hostile})
    assert Page(answer.text).blocked == []
    assert hostile not in answer.text
