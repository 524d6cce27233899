"""Every page of the navigation in Chromium: nothing is blocked, nobody else is asked, and axe finds nothing."""

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl

import httpx
import pytest

from api.web.navigation import NAVIGATION
from tests.api.conftest import ROOT
from tests.api.web.chromium.conftest import DAYS, Visit
from tests.api.web.conftest import HOME
from tests.suite.tiers import spread

PAGES = [name for item in NAVIGATION for name, _ in item.pages]
# Each page has its own test of axe; what all have in common is tried at some of them.
SOME_PAGES = spread(PAGES, 8)
Visits = Callable[..., Visit]
WIDTHS = (360, 768, 1440)  # pixels: a telephone, a tablet, a laptop
# What a reader of the page cannot see: elements whose content is wider than the window.
TOO_WIDE = "document.scrollingElement.scrollWidth - window.innerWidth"


def findings(visit: Visit, axe: str) -> list[str]:
    """What axe finds on the page: rule, reason and element."""
    # The tool comes by the debugger, which the policy of the page does not concern.
    visit.page.evaluate(axe)
    found: dict[str, Any] = visit.page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{one['id']}: {one['help']}: {node['html'][:200]}"
        for one in found["violations"]
        for node in one["nodes"]
    ]


# The dark colours are measured in the look's own table; a release looks at all of them again.
@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.release)])
@pytest.mark.parametrize("page", PAGES)
def test_axe_finds_nothing_and_a_page_fits_each_width(
    visit: Visits, axe: str, page: str, scheme: str
) -> None:
    seen = visit("admin", scheme=scheme)
    assert seen.open(f"{HOME}/{page}?{DAYS}") == 200
    assert findings(seen, axe) == []
    for width in WIDTHS:
        seen.page.set_viewport_size({"width": width, "height": 800})
        assert seen.page.evaluate(TOO_WIDE) <= 0, width
    assert (seen.complaints, seen.strangers) == ([], [])


# Lists whose rows have a page each.
LISTS = ("commits", "developers", "repositories", "pullRequests", "objectives")


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.release)])
def test_axe_finds_nothing_on_a_page_of_one_thing_which_fits_each_width(
    visit: Visits, axe: str, client: httpx.Client, scheme: str
) -> None:
    seen = visit("admin", scheme=scheme)
    days = dict(parse_qsl(DAYS))
    for name in LISTS:
        # Objectives have no period.
        asked = {"pageSize": "1"} | (days if name != "objectives" else {})
        rows = client.get(f"{ROOT}/{name}", params=asked).json()[name]
        assert rows, name
        assert seen.open(f"{HOME}/{name}/{rows[0]['id']}?{DAYS}") == 200
        assert findings(seen, axe) == [], name
        for width in WIDTHS:
            seen.page.set_viewport_size({"width": width, "height": 800})
            assert seen.page.evaluate(TOO_WIDE) <= 0, (name, width)
    assert (seen.complaints, seen.strangers) == ([], [])


# What each role reads is compared without a browser too (tests/api/web/test_pages.py).
@pytest.mark.parametrize(
    "role",
    ["team_lead", *(pytest.param(role, marks=pytest.mark.release) for role in ("owner", "member", "viewer"))],
)
def test_each_role_finds_content_or_the_reason_for_none_in_place(visit: Visits, role: str) -> None:
    seen = visit(role)
    for page in SOME_PAGES:
        status = seen.open(f"{HOME}/{page}?{DAYS}")
        assert status in (200, 400, 403), page
        assert seen.page.url.startswith(f"{seen.address}{HOME}/{page}")
        assert seen.page.locator("h1").inner_text()
        if status != 200:
            assert seen.page.get_by_role("alert").inner_text(), page
        assert seen.page.locator("nav.side a[aria-current=page]").count() == 1, page
    assert (seen.complaints, seen.strangers) == ([], [])


def test_a_visitor_is_led_to_the_form_by_every_page(visit: Visits, axe: str) -> None:
    seen = visit()
    for page in SOME_PAGES:
        seen.open(f"{HOME}/{page}")
        assert re.search(r"/signIn\?", seen.page.url), page
    assert findings(seen, axe) == []
    assert (seen.complaints, seen.strangers) == ([], [])


def test_every_page_reads_the_same_without_scripts(visit: Visits) -> None:
    full = visit("viewer")
    plain = visit(scripts=False, like=full)
    for page in SOME_PAGES:
        texts = []
        for seen in (plain, full):
            seen.open(f"{HOME}/{page}?{DAYS}")
            # A chart to point at takes the place of its picture; the table of both is compared.
            seen.page.evaluate("document.querySelectorAll('.framed, .plot').forEach(one => one.remove())")
            texts.append(seen.page.locator("#content").inner_text())
        assert texts[0] == texts[1], page
