"""A telephone, also without scripts: the menu has every page, buttons of rows are in view, and words stay whole."""

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from api.web.navigation import NAVIGATION, READING
from tests.api.conftest import Deployment
from tests.api.web.chromium.conftest import DAYS, Visit
from tests.api.web.conftest import HOME
from tests.suite.tiers import spread

Visits = Callable[..., Visit]
WIDTH = 390
PAGES = [name for item in NAVIGATION for name, _ in item.pages]
WITH_BUTTONS = ("checks", "members", "tokens")
# Buttons and links like buttons beyond the sides of the window: what is said, and where it ends.
BEYOND = """() => [...document.querySelectorAll("main button, main .button")]
  .map(one => [one.textContent.trim(), one.getBoundingClientRect()])
  .filter(([, area]) => area.width && (area.right > innerWidth + 1 || area.left < -1))
  .map(([text, area]) => `${text} until ${Math.round(area.right)}`)"""
# Own words of the pages, not texts of others, that go on in another line without a hyphen.
BROKEN = """() => {
  const found = [], walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
  for (let text; (text = walk.nextNode()); ) {
    if (text.parentElement.closest("bdi, svg, code, .said")) continue;
    for (const word of text.data.matchAll(/[a-z]{3,24}/gi)) {
      const range = document.createRange();
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      if (new Set([...range.getClientRects()].map(area => Math.round(area.top))).size > 1) found.push(word[0]);
    }
  }
  return found;
}"""


@pytest.mark.parametrize("current", ["overview", "capex", "audit"])
def test_the_menu_has_every_page_and_shows_the_present_one(visit: Visits, current: str) -> None:
    seen = visit("owner", width=WIDTH, is_phone=True, scripts=False)
    seen.open(f"{HOME}/{current}?{DAYS}")
    pages = seen.page.get_by_role("navigation", name="Pages")
    expect(pages.get_by_role("link")).to_have_count(0)
    pages.get_by_role("button", name="Menu").tap()
    for item in NAVIGATION:
        link = pages.get_by_role("link", name=item.label, exact=item.name != "checks")
        area = link.bounding_box()
        assert area is not None, item.label
        assert area["x"] >= 0
        assert area["x"] + area["width"] <= WIDTH
        assert area["y"] + area["height"] <= 900
    expect(pages.locator("[aria-current]")).to_be_in_viewport()
    pages.get_by_role("link", name=READING[-1].label).tap()
    expect(seen.page.locator("h1")).to_have_text(READING[-1].label)
    expect(pages.get_by_role("link")).to_have_count(0)


def test_the_menu_lies_open_where_there_is_room(visit: Visits) -> None:
    seen = visit("viewer", width=1440)
    seen.open(f"{HOME}/checks")
    pages = seen.page.get_by_role("navigation", name="Pages")
    expect(pages.get_by_role("link")).to_have_count(len(NAVIGATION))
    expect(pages.get_by_role("button", name="Menu")).to_have_count(0)


@pytest.mark.parametrize("page", WITH_BUTTONS)
def test_buttons_of_rows_are_in_view(visit: Visits, published: Deployment, page: str) -> None:
    published.key("a key with a long name")
    seen = visit("owner", width=WIDTH, is_phone=True)
    seen.open(f"{HOME}/{page}?{DAYS}")
    assert seen.page.locator("main tbody tr").count()
    assert seen.page.evaluate(BEYOND) == []


@pytest.mark.parametrize("page", spread(PAGES, 8))
def test_no_word_of_a_page_is_broken(visit: Visits, page: str) -> None:
    seen = visit("owner", width=WIDTH, is_phone=True)
    seen.open(f"{HOME}/{page}?{DAYS}")
    seen.page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert seen.page.evaluate(BROKEN) == []
