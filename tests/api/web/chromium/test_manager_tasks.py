"""Ten tasks of a manager, each done from the overview in at most four clicks. Typing is no click."""

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Literal

import pytest
from playwright.sync_api import Browser, Locator, expect

from api.web.sessions.cookies import NAME
from tests.api.conftest import Deployment
from tests.api.people import join, sign_in
from tests.api.published_facts import ORGANIZATION
from tests.api.web.chromium.conftest import Visit
from tests.api.web.conftest import HOME

Serve = Callable[..., AbstractContextManager[str]]
MAX_CLICKS = 4


@dataclass
class Manager:
    """An owner at the overview, whose clicks are counted."""

    visit: Visit
    clicks: int = 0

    def click(
        self, name: str, role: Literal["link", "button"] = "link", within: Locator | None = None
    ) -> None:
        """Click the first visible link or button whose name begins so."""
        place = within or self.visit.page.locator("body")
        found = place.get_by_role(role, name=re.compile(f"^{re.escape(name)}"))
        found.locator("visible=true").first.click()
        self.clicks += 1

    def go(self, item: str) -> None:
        """Click an item of the navigation, and wait for its page."""
        self.click(item, within=self.visit.page.get_by_role("navigation", name="Pages"))
        expect(
            self.visit.page.get_by_role("navigation", name="Pages").locator("[aria-current]")
        ).to_contain_text(item)

    def section(self, question: str) -> Locator:
        """The part of the page that answers a question, by its heading."""
        return self.visit.page.locator("section").filter(
            has=self.visit.page.get_by_role("heading", name=question)
        )


def find_who_waits_for_review_longest(manager: Manager) -> None:
    manager.go("Pull requests")
    rows = manager.section("Who waits for review longest?").locator("tbody tr")
    expect(rows.first).to_be_visible()


def see_why_etv_fell_in_a_month(manager: Manager) -> None:
    months = manager.visit.page.get_by_role("navigation", name="Month that moved").get_by_role("link")
    falls = months.filter(has_text="−")
    expect(falls.first).to_be_visible()
    name = falls.first.inner_text().split()[0]
    manager.click(name, within=manager.section("What moved, and why?"))
    reference = manager.section("What moved, and why?").locator("tr.reference")
    expect(reference).to_contain_text(f"All of {name}")
    expect(reference).to_contain_text("−")
    expect(reference.locator(".second")).not_to_be_empty()


def close_october(manager: Manager) -> None:
    manager.go("CapEx")
    manager.click("Lock October", "button")
    manager.click("Lock October 2026", "button", manager.visit.page.locator("[popover]:popover-open"))
    expect(manager.visit.page.get_by_role("heading", name="October is locked")).to_be_visible()


def see_what_ai_cost_per_objective(manager: Manager) -> None:
    manager.go("Objectives")
    expect(manager.visit.page.get_by_role("columnheader", name="AI cost")).to_be_visible()
    expect(manager.visit.page.locator("tbody tr").first).to_be_visible()


def compare_pull_requests_with_their_value(manager: Manager) -> None:
    manager.go("Pull requests")
    manager.click("12 months")
    compared = manager.section("More pull requests, or more value?")
    for head in ("Pull requests", "ETV of one", "ETV of all commits"):
        expect(compared.get_by_role("columnheader", name=head)).to_be_visible()
    expect(compared.locator("tbody tr").nth(11)).to_be_visible()


def find_repositories_that_cannot_be_read(manager: Manager) -> None:
    manager.go("Repositories")
    manager.click("Manage")
    manager.click("Needs attention")
    expect(manager.visit.page).to_have_url(re.compile("NEEDS_ATTENTION"))


def see_how_many_people_are_billed(manager: Manager) -> None:
    manager.go("Settings")
    manager.click("Plan")
    expect(manager.visit.page.locator("#content")).to_contain_text("illable")


def invite_a_viewer(manager: Manager) -> None:
    manager.go("Settings")
    manager.click("Members")
    manager.click("Invite", "button")
    manager.visit.page.get_by_label("Email address").fill("grace@example.org")
    manager.click("Invite", "button", manager.visit.page.locator("[popover]:popover-open"))
    expect(manager.section("Who is invited?")).to_contain_text("grace@example.org")


def settle_a_finding(manager: Manager) -> None:
    manager.go("Checks")
    number = manager.visit.page.get_by_role("button", name="Decide").count()
    manager.click("Decide", "button")
    manager.visit.page.get_by_label("Why it needs nobody any more").locator("visible=true").fill("Known.")
    manager.click("Settle", "button", manager.visit.page.locator("[popover]:popover-open"))
    expect(manager.visit.page.locator("#content")).to_contain_text("The finding is settled.")
    assert manager.visit.page.get_by_role("button", name="Decide").count() <= number


def make_a_key_that_ends_by_itself(manager: Manager) -> None:
    manager.go("Settings")
    manager.click("Tokens")
    manager.click("Create", "button")
    form = manager.visit.page.locator("[popover]:popover-open")
    form.get_by_label("Name").fill("Report of the quarter")
    form.get_by_label("Last day").fill("2030-01-31")
    manager.click("Create", "button", form)
    expect(manager.visit.page.locator("#content")).to_contain_text("Copy this key now.")
    row = manager.visit.page.get_by_role("row", name="Report of the quarter")
    expect(row).to_contain_text("1 Feb 2030")


TASKS = (
    find_who_waits_for_review_longest,
    see_why_etv_fell_in_a_month,
    close_october,
    see_what_ai_cost_per_objective,
    compare_pull_requests_with_their_value,
    find_repositories_that_cannot_be_read,
    see_how_many_people_are_billed,
    invite_a_viewer,
    settle_a_finding,
    make_a_key_that_ends_by_itself,
)


@pytest.fixture
def owner(chromium: Browser, deployment: Deployment, serve: Serve) -> Iterator[Visit]:
    """A tab of an owner of an organization that the test may change."""
    deployment.publish()
    session = sign_in(deployment.store, join(deployment.store, ORGANIZATION, "owner"))
    with serve(deployment.data_dir) as address:
        context = chromium.new_context(viewport={"width": 1440, "height": 900})
        context.set_default_timeout(90_000)
        context.add_cookies([{"name": NAME, "value": session, "url": address}])
        yield Visit(context.new_page(), address)
        context.close()


def done(visit: Visit, task: Callable[[Manager], None]) -> None:
    visit.open(f"{HOME}/overview")
    manager = Manager(visit)
    task(manager)
    assert manager.clicks <= MAX_CLICKS, f"{task.__name__} took {manager.clicks} clicks"
    assert (visit.complaints, visit.strangers) == ([], [])


@pytest.mark.parametrize("task", [find_who_waits_for_review_longest, see_why_etv_fell_in_a_month])
def test_a_manager_needs_at_most_four_clicks(
    visit: Callable[..., Visit], task: Callable[[Manager], None]
) -> None:
    done(visit("owner"), task)


@pytest.mark.release
def test_ten_tasks_of_a_manager_take_at_most_four_clicks_each(owner: Visit) -> None:
    for task in TASKS:
        done(owner, task)
