"""Pages tell the lock of a month to those who may see locks, and that leads of teams do not see it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date

import httpx
import pytest

from api.control.summaries.kinds import Period, ScopeKind, SummaryKey
from api.web.pages.reports import unlocked_months
from api.web.reading import Answer
from api.web.sessions.cookies import NAME
from tests.api.conftest import Deployment, client_for
from tests.api.moving_people import address_of, deployed, moving, moving_warehouse
from tests.api.people import join, sign_in
from tests.api.published_facts import ORGANIZATION
from tests.api.scoped_deployment import make_lead
from tests.api.scoped_facts import team_id
from tests.api.summary_texts import fact_of, put
from tests.api.web.conftest import HOME
from tests.api.web.pages import Page

__all__ = ["address_of", "deployed", "moving", "moving_warehouse"]
MONTH = "2026-09"
SEPTEMBER = date(2026, 9, 1), date(2026, 9, 30)
QUARTER = date(2026, 7, 1), SEPTEMBER[1]


def report_of(
    deployed: Deployment, kind: ScopeKind, scope: str, period: Period, days: tuple[date, date]
) -> str:
    """A stored report with hours of CapEx; its address."""
    key = SummaryKey(kind, scope, period, *days)
    capex = fact_of(key, "capex_hours", 120, 5, unit="HOURS", previous_micro=100_000_000)
    return f"{HOME}/reports/{put(deployed.store, key, more=[capex])}"


@pytest.fixture(scope="module")
def of_team(deployed: Deployment) -> str:
    return report_of(deployed, ScopeKind.TEAM, team_id("Product"), Period.MONTH, SEPTEMBER)


@pytest.fixture(scope="module")
def of_quarter(deployed: Deployment) -> str:
    return report_of(deployed, ScopeKind.ORGANIZATION, ORGANIZATION, Period.QUARTER, QUARTER)


@contextmanager
def browsing(address: str, session: str) -> Iterator[Callable[[str], Page]]:
    with client_for(address) as browser:
        browser.headers["Accept"] = "text/html"
        browser.cookies.set(NAME, session)
        yield lambda path: Page(browser.get(path).raise_for_status().text)


@pytest.fixture(scope="module")
def locked(deployed: Deployment, address_of: str, of_team: str, of_quarter: str) -> str:
    """September is locked; a session of the owner who did it."""
    deployed.publish()
    session = sign_in(deployed.store, join(deployed.store, ORGANIZATION, "owner"))
    path = f"{HOME}/capex?month={MONTH}"
    with client_for(address_of) as browser:
        browser.headers["Accept"] = "text/html"
        browser.cookies.set(NAME, session)
        token = Page(browser.get(path).raise_for_status().text).fields["token"]
        sent: httpx.Response = browser.post(
            path, data={"token": token, "act": "lock", "month": f"{MONTH}-01"}
        )
    assert sent.status_code == 303
    return session


def test_a_lead_reads_nothing_of_locks(
    deployed: Deployment, address_of: str, locked: str, of_team: str
) -> None:
    with browsing(address_of, sign_in(deployed.store, make_lead(deployed, ("Product",)))) as shown:
        report, capex = shown(of_team), shown(f"{HOME}/capex?month={MONTH}")
    assert "CapEx as calculated" in report.text
    assert "lock" not in report.text
    assert "September 2026’s hours with output can be capitalized" in capex.text
    assert "September is over." in capex.text
    assert "Your role does not see whether a month is locked." in capex.text
    for untrue in ("Not signed yet", "Before you lock", "lock the month first", "applies.", "in force"):
        assert untrue not in capex.text
    # A column of states would say nothing of the months that are over.
    [head] = [row for row in capex.rows if row[0] == "Month"]
    assert head[-1] == "OpEx h"
    assert any(row[0].endswith(" 2026") and len(row) == len(head) for row in capex.rows)
    strip = capex.text.partition("Earlier")[2].partition("of September 2026")[0]
    assert "Aug Sep" in strip
    assert "complete" not in capex.text


def test_a_month_that_has_not_begun_is_not_called_unlocked() -> None:
    locks = Answer(200, {"capexLocks": [{"month": "2026-10-01"}]})
    days = "2026-10-01", "2026-12-31"
    assert unlocked_months(locks, *days, date(2026, 11, 30)) == ["2026-11-01"]
    assert unlocked_months(locks, *days, date(2026, 12, 1)) == ["2026-11-01", "2026-12-01"]


def test_who_may_see_locks_reads_of_each_month_of_a_report(
    address_of: str, locked: str, of_team: str, of_quarter: str
) -> None:
    with browsing(address_of, locked) as shown:
        month, quarter = shown(of_team), shown(of_quarter)
        capex = shown(f"{HOME}/capex?month={MONTH}")
    assert "September 2026 was locked on" in month.text
    assert "not locked" not in month.text
    assert "September is locked" in capex.text
    assert "does not see whether" not in capex.text
    assert "September 2026 was locked on" in quarter.text
    for name, link in (("July", "2026-07"), ("August", "2026-08")):
        assert f"{name} 2026 is not locked: its CapEx." in quarter.text
        assert f"{HOME}/capex?month={link}" in quarter.links
