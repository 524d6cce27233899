"""Figures of pages are of the whole organization, also where a list of the interface has more rows than one page."""

import shutil
from collections.abc import Callable
from math import sqrt
from pathlib import Path
from typing import Any

import duckdb
import httpx
import pytest

from api.presentation.rounding import shown_difference
from tests.api.conftest import ROOT
from tests.api.web.conftest import HOME
from tests.api.web.own_organization import address, published
from tests.api.web.pages import Page

__all__ = ["address", "published"]

MONTH, DAYS = "2026-10", {"startDate": "2026-09-01", "endDate": "2026-10-31"}
PEOPLE, REPOSITORIES = 1200, 300
# Every seventh person has no output. The last repositories of the default order, which is by name, moved most.
MADE = f"""
    create temp table one as select * from api_v1__capex where month = '{MONTH}-01' limit 1;
    delete from api_v1__capex where month = '{MONTH}-01';
    insert into api_v1__capex
    select one.* replace (
        '0190d3b0-0000-7000-8001-' || lpad(n::varchar, 12, '0') as developer_id, 'Person ' || n as developer_name,
        100 + n % 61 as hours,
        case when n % 7 > 0 then n % 101 end as capex_percent,
        case when n % 7 > 0 then greatest(n % 101 - n % 5, 0) end as capex_percent_low,
        case when n % 7 > 0 then least(n % 101 + n % 4, 100) end as capex_percent_high,
        case when n % 7 > 0 then cast((100 + n % 61) * (n % 101) / 100 as decimal(18, 2)) end as capex_hours,
        case when n % 7 > 0 then cast(100 + n % 61 - (100 + n % 61) * (n % 101) / 100 as decimal(18, 2)) end
            as opex_hours,
        n % 3 = 0 as dates_inferred
    )
    from one, range({PEOPLE}) as people (n);
    create temp table repository as select * from api_v1__repositories limit 1;
    insert into api_v1__repositories
    select repository.* replace (
        '0190d3b0-0000-7000-8000-' || lpad(n::varchar, 12, '0') as repository_id, 'zz-' || n as name
    )
    from repository, range(100, {100 + REPOSITORIES}) as more (n);
    create temp table movement as
    select * from api_v1__movements
    where entity_kind = 'repository' and period = 'month' and period_start = '{MONTH}-01' limit 1;
    insert into api_v1__movements
    select movement.* replace (
        '0190d3b0-0000-7000-8000-' || lpad(n::varchar, 12, '0') as entity_id,
        -- Gains and losses by turns, the largest of repository 397, 398 and 399.
        50000000000 + case when n % 2 = 0 then n else -n end * 100000000 as etv_micro,
        50000000000 as previous_etv_micro
    )
    from movement, range(100, {100 + REPOSITORIES}) as more (n);
"""


@pytest.fixture(scope="module")
def warehouse(warehouse: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The facts with many people and repositories in one month."""
    made = tmp_path_factory.mktemp("large") / "built.duckdb"
    shutil.copyfile(warehouse, made)
    with duckdb.connect(str(made)) as connection:
        connection.execute(MADE)
    return made


def every(browser: httpx.Client, path: str, name: str, **asked: str) -> list[dict[str, Any]]:
    """The rows of all pages of a list."""
    found: list[dict[str, Any]] = []
    token = ""
    while True:
        answer = browser.get(
            f"{ROOT}/{path}",
            params={"pageSize": "1000", "pageToken": token} | asked,
            headers={"Authorization": f"Bearer {next(iter(browser.cookies.values()))}", "Accept": "*/*"},
        ).json()
        found += answer[name]
        token = answer["nextPageToken"]
        if not token:
            return found


def test_the_sentence_and_the_sum_of_capex_have_all_people(browser: httpx.Client) -> None:
    rows = every(browser, "capex", "rows", startDate=f"{MONTH}-01", endDate=f"{MONTH}-01")
    assert len(rows) == PEOPLE
    worked = [row for row in rows if row["capexPercent"] is not None]
    capex, opex = (sum(row[name] for row in worked) for name in ("capexHours", "opexHours"))
    idle = sum(row["hours"] for row in rows if row["capexPercent"] is None)
    below, above = (
        sqrt(sum((row["hours"] * (row[name] - row["capexPercent"]) / 100) ** 2 for row in worked))
        for name in ("capexPercentLow", "capexPercentHigh")
    )
    page = browser.get(f"{HOME}/capex", params={"month": MONTH})
    found = Page(page.text)
    text = found.text.replace("\u00a0", " ")
    share, low, high = (100 * part / (capex + opex) for part in (capex, capex - below, capex + above))
    assert f"{share:.0f} % of October 2026’s hours with output can be capitalized: {capex:,.1f} hours" in text
    assert f"against {opex:,.1f} of OpEx. {idle:,.1f} hours have no output" in text
    assert f"between {low:.0f} and {high:.0f} % with" in text
    undated = sum(row["datesInferred"] for row in rows)
    assert f"{undated:,} developers have no joining date" in text
    assert (
        f"figures of {PEOPLE:,} developers in October 2026 are stored as they are now: {capex:,.1f} h of CapEx"
        in text
    )
    total = found.row(f"{PEOPLE:,} developers")
    assert total[2] == f"{capex + opex + idle:,.1f}"
    assert total[7:9] == [f"{capex:,.1f}", f"{opex:,.1f}"]
    month = next(row for row in found.rows if row and row[0] == "October 2026")
    assert (month[1], month[5], month[6]) == (f"{PEOPLE:,}", f"{capex:,.1f}", f"{opex:,.1f}")


@pytest.mark.parametrize(("asked", "shown"), [({}, 100), ({"people": "ALL"}, 1000)])
def test_capex_shows_the_first_people_and_says_so(
    browser: httpx.Client, asked: dict[str, str], shown: int
) -> None:
    found = Page(browser.get(f"{HOME}/capex", params={"month": MONTH} | asked).text)
    assert len([row for row in found.rows if row and row[0].startswith("Person ")]) == shown
    assert f"The first {shown:,} of {PEOPLE:,} are shown; the sum and the files have all." in found.text


@pytest.mark.parametrize("asked", [{}, {"month": MONTH}])
def test_the_largest_movements_are_those_of_all_repositories(
    browser: httpx.Client, asked: dict[str, str]
) -> None:
    moved = every(browser, "movements", "movements", entity="REPOSITORY", interval="MONTH", **DAYS)
    assert len(moved) > REPOSITORIES
    largest = sorted(moved, key=lambda row: -abs(row["etv"] - row["previousEtv"]))[:6]
    found = Page(browser.get(f"{HOME}/overview", params=DAYS | asked).text)
    shown = [row for row in found.rows if row and row[0].startswith("zz-")]
    assert [row[0].split()[0] for row in shown] == [row["name"] for row in largest]
    assert [row[1].replace("−", "-").replace(",", "") for row in shown] == [
        f"{shown_difference(row['etv'], row['previousEtv']):+.1f}" for row in largest
    ]


@pytest.mark.parametrize("role", ["owner", "viewer"])
def test_capex_of_a_month_without_rows_says_so(browser_of: Callable[[str], httpx.Client], role: str) -> None:
    found = Page(browser_of(role).get(f"{HOME}/capex", params={"month": "2001-01"}).text)
    assert "Nobody has hours in January 2001" in found.text
