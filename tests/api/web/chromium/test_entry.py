"""The pages of signing in, in Chromium: axe, widths, and the two steps that a script adds."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from api.control.accounts.accounts import sign_up
from api.control.accounts.invitations import invite
from api.control.accounts.links import Purpose, make_link
from api.control.accounts.passwords import Passwords
from api.control.permissions import Role
from api.control.principals import OPERATOR
from tests.api.conftest import Deployment
from tests.api.published_facts import ORGANIZATION
from tests.api.web.chromium.conftest import Visit
from tests.api.web.chromium.test_every_page import TOO_WIDE, WIDTHS, findings

Visits = Callable[..., Visit]
EMAIL, PASSWORD, BETTER = "ada@entry.example", "Correct-horse 9 staple", "Battery-8 lorry mast"
PAGES = (
    "",
    "signIn",
    "signUp",
    "requestPasswordReset",
    "resetPassword",
    "verifyEmail",
    "invitation",
    "nowhere",
)


@pytest.fixture(scope="module")
def ada(published: Deployment) -> str:
    """The id of an account with a password and an address that nobody confirmed."""
    return sign_up(published.store, Passwords(8), EMAIL, PASSWORD, "Ada").id


def fill(seen: Visit, label: str, text: str) -> None:
    seen.page.get_by_label(label, exact=True).fill(text)


def press(seen: Visit, button: str) -> None:
    seen.page.get_by_role("button", name=button, exact=True).click()
    seen.page.wait_for_load_state("networkidle")


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.release)])
def test_axe_finds_nothing_and_each_page_fits_each_width(visit: Visits, axe: str, scheme: str) -> None:
    seen = visit(scheme=scheme)
    for page in PAGES:
        seen.open(f"/{page}")
        assert findings(seen, axe) == [], page
        for width in WIDTHS:
            seen.page.set_viewport_size({"width": width, "height": 800})
            assert seen.page.evaluate(TOO_WIDE) <= 0, (page, width)
    assert (seen.complaints, seen.strangers) == ([], [])


def test_the_list_of_rules_follows_what_is_typed(visit: Visits) -> None:
    seen = visit()
    seen.open("/signUp")
    met = seen.page.locator(".rules .met")
    assert met.count() == 0
    fill(seen, "E-mail", EMAIL)
    fill(seen, "Password", "Correct1")
    expect(met).to_have_count(7)
    [missing] = seen.page.locator(".rules li:not(.met)").all_inner_texts()
    assert re.search("neither letter nor digit", missing)
    # A part of the address.
    fill(seen, "Password", f"{EMAIL.title()}-9!")
    expect(seen.page.locator("[data-rule=IMPERSONAL]:not(.met)")).to_have_count(1)
    assert (seen.complaints, seen.strangers) == ([], [])


def test_links_of_mails_open_by_themselves_and_leave_the_address_bar(
    visit: Visits, published: Deployment, ada: str, axe: str
) -> None:
    seen = visit()
    link = make_link(published.store, Purpose.PASSWORD_RESET, ada, EMAIL)
    seen.open(f"/auth/resetPassword#{link}")
    assert seen.page.get_by_text(EMAIL).count() == 1
    assert link not in seen.page.url
    assert findings(seen, axe) == []
    fill(seen, "Password", BETTER)
    press(seen, "Set the password")
    assert seen.page.get_by_role("status").inner_text().startswith("Your password is changed")
    token = invite(published.store, OPERATOR, ORGANIZATION, EMAIL, Role.VIEWER).token
    seen.open(f"/invitation#{token}")
    assert "to Acme as viewer" in seen.page.locator("main").inner_text()
    assert token not in seen.page.url
    assert findings(seen, axe) == []
    fill(seen, "E-mail", EMAIL)
    fill(seen, "Password", BETTER)
    press(seen, "Sign in")
    assert seen.page.url.endswith("/organizations/acme/overview")
    # The browser keeps the session where no script finds it.
    assert seen.page.evaluate("[localStorage.length, document.cookie]") == [0, ""]
    assert (seen.complaints, seen.strangers) == ([], [])
