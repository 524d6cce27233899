"""What somebody does with the pages: links, back, the keyboard, dialogs, and a service that is away."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from api.control.accounts.local_owners import make_local_link
from tests.api.conftest import Deployment
from tests.api.published_facts import ORGANIZATION
from tests.api.web.chromium.conftest import DAYS, Visit
from tests.api.web.conftest import HOME

Visits = Callable[..., Visit]


def test_a_link_replaces_the_page_in_place_and_back_returns(visit: Visits) -> None:
    seen = visit("admin")
    seen.open(f"{HOME}/overview?{DAYS}")
    seen.page.evaluate("window.kept = true")
    seen.page.get_by_role("navigation", name="Pages").get_by_role("link", name="People").click()
    expect(seen.page.locator("h1")).to_have_text("People")
    expect(seen.page).to_have_url(re.compile(f"/developers\\?{DAYS}$"))
    expect(seen.page).to_have_title(re.compile("^People"))
    assert seen.page.evaluate("window.kept") is True
    seen.page.go_back()
    expect(seen.page.locator("h1")).to_have_text("Overview")
    expect(seen.page).to_have_url(re.compile(DAYS))
    assert (seen.complaints, seen.strangers) == ([], [])


def test_search_and_order_are_in_the_address_and_show_the_same_to_somebody_else(visit: Visits) -> None:
    seen = visit("admin")
    seen.open(f"{HOME}/commits?{DAYS}")
    subject = seen.page.locator("tbody th a").first.inner_text().split()[0]
    seen.page.get_by_role("searchbox").fill(subject)
    seen.page.keyboard.press("Enter")
    expect(seen.page).to_have_url(re.compile("search="))
    seen.page.get_by_role("link", name=re.compile("^ETV")).click()
    expect(seen.page).to_have_url(re.compile("orderBy=etv"))
    expect(seen.page.get_by_role("columnheader", name=re.compile("^ETV"))).to_have_attribute(
        "aria-sort", re.compile("scending")
    )
    rows = seen.page.locator("tbody tr").all_inner_texts()
    other = visit("admin")
    other.open(seen.page.url.removeprefix(seen.address))
    assert other.page.locator("tbody tr").all_inner_texts() == rows


def test_the_keyboard_reaches_the_content_first_and_a_commit_after_it(visit: Visits) -> None:
    seen = visit("admin")
    seen.open(f"{HOME}/commits?{DAYS}")
    seen.page.keyboard.press("Tab")
    focused = seen.page.locator(":focus")
    expect(focused).to_have_text("To the content")
    expect(focused).to_be_in_viewport()
    seen.page.keyboard.press("Enter")
    for _ in range(40):
        seen.page.keyboard.press("Tab")
        reached = seen.page.evaluate("document.activeElement.getAttribute('href')") or ""
        if "/commits/" in reached:
            break
    seen.page.keyboard.press("Enter")
    expect(seen.page).to_have_url(re.compile(r"/commits/[0-9a-f-]{36}"))
    assert seen.complaints == []


def test_a_service_that_is_away_keeps_the_page_and_the_session_and_comes_back(visit: Visits) -> None:
    seen = visit("admin")
    seen.open(f"{HOME}/overview?{DAYS}")
    text = seen.page.locator("#content").inner_text()
    seen.page.context.set_offline(True)
    seen.page.get_by_role("navigation", name="Pages").get_by_role("link", name="People").click()
    note = seen.page.locator("#away")
    expect(note).to_contain_text("cannot be reached")
    expect(note).to_contain_text("You stay signed in")
    assert seen.page.locator("#content").inner_text() == text
    seen.page.context.set_offline(False)
    note.get_by_role("button").click()
    expect(note).to_have_count(0)
    expect(seen.page.locator("h1")).to_have_text(re.compile("Overview|People"))


def test_a_link_of_the_machine_signs_in_and_leaves_no_secret_in_the_address(
    visit: Visits, published: Deployment
) -> None:
    secret = make_local_link(published.store, ORGANIZATION)
    seen = visit()
    seen.page.goto(f"{seen.address}/local#{secret}")
    expect(seen.page).to_have_url(re.compile("/overview$"))
    seen.page.go_back()
    assert secret not in seen.page.url
    assert seen.complaints == []


@pytest.mark.parametrize("width", [360, 1440])
def test_the_layout_does_not_shift_while_a_page_loads(visit: Visits, width: int) -> None:
    """Bar .05: the cumulative layout shift of the web vitals."""
    seen = visit("admin", width=width)
    seen.page.add_init_script(
        "window.shift = 0; new PerformanceObserver(list => list.getEntries().forEach(e => window.shift += e.value))"
        ".observe({type: 'layout-shift', buffered: true})"
    )
    for page in ("overview", "developers", "commits"):
        seen.open(f"{HOME}/{page}?{DAYS}")
        assert seen.page.evaluate("window.shift") < 0.05, page
