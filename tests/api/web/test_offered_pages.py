"""The navigation and the tabs offer each role the pages that open for it, and no others."""

import re
from collections.abc import Callable

import httpx
import pytest

from api.control.permissions import Role
from api.web.navigation import NAVIGATION
from tests.api.web.conftest import HOME
from tests.api.web.pages import Page

PAGES = [(item, name) for item in NAVIGATION for name, _ in item.pages]
CLOSED = {
    Role.OWNER: set(),
    Role.VIEWER: {"audit"},
    Role.TEAM_LEAD: {
        "manage", "sandbox", "connections", "general", "members", "calendar", "privacy", "plan", "audit"
    },
}  # fmt: skip


def ways(text: str) -> set[str]:
    """The pages of the navigation and of the tabs."""
    parts = re.findall(r'<nav class="(?:side|tabs)".*?</nav>', text, re.DOTALL)
    return {one for part in parts for one in re.findall(rf'href="{HOME}/(\w+)["?]', part)}


@pytest.mark.parametrize("role", CLOSED)
def test_a_role_is_offered_exactly_the_pages_that_open_for_it(
    browser_of: Callable[[str], httpx.Client], role: Role
) -> None:
    browser = browser_of(role.value)
    shown = {name: browser.get(f"{HOME}/{name}") for _, name in PAGES}
    assert {name for name, answer in shown.items() if answer.status_code == 403} == CLOSED[role]
    opened = [ways(answer.text) for name, answer in shown.items() if name not in CLOSED[role]]
    assert not set().union(*opened) & CLOSED[role]
    for item, name in PAGES:
        marked = 'aria-current="page"' in shown[name].text.split("<main")[0]
        left = [one for one, _ in item.pages if one not in CLOSED[role]]
        assert marked is bool(left), name
        if name not in CLOSED[role] and len(left) > 1:
            assert set(left) <= ways(shown[name].text)


def test_settings_lead_a_team_lead_to_the_first_page_that_opens(
    browser_of: Callable[[str], httpx.Client],
) -> None:
    text = browser_of("team_lead").get(f"{HOME}/overview").text
    assert re.search(rf'<a href="{HOME}/tokens"[^>]*>Settings</a>', text)
    assert re.search(
        rf'<a href="{HOME}/general"[^>]*>Settings</a>', browser_of("viewer").get(f"{HOME}/me").text
    )


@pytest.mark.parametrize("page", ["manage", "sandbox"])
def test_pages_of_repositories_refuse_with_their_own_reason(
    browser_of: Callable[[str], httpx.Client], page: str
) -> None:
    answer = browser_of("team_lead").get(f"{HOME}/{page}")
    text = Page(answer.text).text
    assert answer.status_code == 403
    assert "You may not see which repositories are analysed, and how: your role is team lead" in text
    assert "connections" not in text.lower()
