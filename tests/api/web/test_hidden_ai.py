"""Pages of an organization that hides the columns about AI: they open, and say nothing about AI per person or team."""

from collections.abc import Callable, Iterator

import httpx
import pytest

from tests.api.conftest import ROOT
from tests.api.web.conftest import HOME
from tests.api.web.own_organization import address, published
from tests.api.web.test_work import ALL_DAYS, shown, told

__all__ = ["address", "published"]

SWITCHES = ("hasAiDeveloperColumns", "hasAiRepositoryColumns", "hasAiTeamColumns")


@pytest.fixture(scope="module")
def owner(browser_of: Callable[[str], httpx.Client]) -> Iterator[httpx.Client]:
    browser = browser_of("owner")
    bearer = {"Authorization": f"Bearer {next(iter(browser.cookies.values()))}"}
    for is_on in (False, True):
        answer = browser.patch(f"{ROOT}/settings", json=dict.fromkeys(SWITCHES, is_on), headers=bearer)
        assert answer.status_code == 200, answer.text
        if not is_on:
            yield browser


@pytest.mark.parametrize("name", ["developers", "repositories", "teams"])
def test_lists_have_no_columns_about_ai(owner: httpx.Client, name: str) -> None:
    page = shown(owner, name, **ALL_DAYS)
    assert len(page.rows) > 2
    heads = {cell for row in page.rows[:1] for cell in row}
    assert heads & {"AI share", "AI spend", "per ETV"} == set()


@pytest.mark.parametrize("name", ["developers", "repositories"])
def test_details_have_their_figures_without_those_about_ai(owner: httpx.Client, name: str) -> None:
    row = told(owner, name, pageSize=1, orderBy="etv desc", **ALL_DAYS)[name][0]
    assert "aiCost" not in row
    page = shown(owner, f"{name}/{row['id']}", **ALL_DAYS)
    assert "AI spend" not in page.text
    assert any(
        (len(cells) > 3 and cells[0].startswith("W")) or "2026" in cells[0] for cells in page.rows if cells
    )


@pytest.mark.parametrize(
    "name", ["overview", "me", "objectives", "ai", "reports", "pullRequests", "benchmarks", "capex"]
)
def test_other_pages_open(owner: httpx.Client, name: str) -> None:
    assert owner.get(f"{HOME}/{name}").status_code == 200
