"""Pages offer what they name, and words of one page do not contradict each other."""

from collections.abc import Callable

import httpx
import pytest

from api.web.drawing.figures import bucket
from tests.api.web.conftest import HOME
from tests.api.web.own_organization import address, published
from tests.api.web.pages import Page
from tests.api.web.test_work import send, shown, told

__all__ = ["address", "published"]


@pytest.fixture(scope="module")
def owner(browser_of: Callable[[str], httpx.Client]) -> httpx.Client:
    return browser_of("owner")


def test_a_repository_becomes_a_sandbox_where_the_empty_page_says(
    owner: httpx.Client, browser_of: Callable[[str], httpx.Client]
) -> None:
    text = shown(owner, "sandbox", search="").text
    assert "choose “Settings” of a repository under Manage, tick “Sandbox” and save" in text
    assert "an owner or admin ticks “Sandbox” there" in shown(browser_of("viewer"), "sandbox").text
    send(owner, "manage", "add", addresses="https://git.example/acme/attic")
    [row] = told(owner, "repositories:managed", search="attic")["repositories"]
    page = shown(owner, "manage", state="ALL", search="attic")
    [link] = [link for link in page.links if link.endswith(f"manage/{row['id']}#settings")]
    assert "Sandbox: it has a page of its own" in owner.get(link).text


def test_a_plan_without_a_renewal_bills_nobody_and_sells_nothing(owner: httpx.Client) -> None:
    plan = told(owner, "plan")
    assert (plan["plan"], plan["renewalDate"], plan["commitLimit"]) == ("UNLIMITED", None, None)
    text = shown(owner, "plan").text
    assert "Nothing is billed, because no renewal is due." in text
    assert "are billable" not in text
    assert "Ask for an upgrade" not in text


def test_the_way_back_from_a_cancellation_is_no_second_cancel(owner: httpx.Client) -> None:
    send(owner, "members", "invite", email="mira@shop.dev", role="VIEWER")
    text = owner.get(f"{HOME}/members").text
    dialog = text.split("Cancel the invitation of mira@shop.dev?")[1].split("</div>\n</td>")[0]
    assert ">Keep it</button>" in dialog
    assert ">Cancel</button>" not in dialog


def test_columns_of_limits_are_named_limits(owner: httpx.Client) -> None:
    [heads] = [row for row in Page(owner.get(f"{HOME}/checkKinds").text).rows if row and row[0] == "Kind"]
    assert heads[2:4] == ["Limit", "Limit of critical ones"]


def test_the_time_at_the_head_of_a_page_is_that_of_the_build(owner: httpx.Client) -> None:
    head = owner.get(f"{HOME}/connections").text.split("</h1>")[1][:80]
    assert "Figures built" in head or "No build yet" in head


def test_the_share_of_ai_leads_to_the_commits_with_a_sign_of_it(owner: httpx.Client) -> None:
    links = Page(owner.get(f"{HOME}/overview").text).links
    [link] = [link for link in links if "aiAssisted=true" in link]
    assert link.startswith(f"{HOME}/commits?")
    assert owner.get(link).status_code == 200


def test_a_week_of_a_table_has_its_monday() -> None:
    assert bucket("2026-10-05", "WEEK") == "W41 2026, 5\u00a0Oct"
    assert bucket("2026-10-01", "MONTH") == "Oct 2026"
