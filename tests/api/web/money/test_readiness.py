"""Before a lock the page of CapEx says what the figures of the month lack, and nothing is missing where all is read."""

from datetime import date
from typing import Any

import pytest

from api.web.money.months import OPEN, RUNNING, Month, Share
from api.web.money.readiness import WARN, Condition, Sources, readiness
from api.web.reading import Answer

OCTOBER = Month(date(2026, 10, 1), OPEN, Share(people=4))
REFUSED = Answer(403, None)


def answer(name: str, *rows: dict[str, Any], **body: Any) -> Answer:
    return Answer(200, {name: list(rows), "totalSize": len(rows)} | body)


def connection(name: str, last: str | None, health: str = "FAILING", **changed: Any) -> dict[str, Any]:
    row = {"name": name, "health": health, "failureReason": "REFUSED", "category": "GIT_HOST"}
    return row | {"lastSyncedAt": last} | changed


def repository(name: str, analyzed: str | None, *, is_stopped: bool = False) -> dict[str, Any]:
    return {"name": name, "analyzedAt": analyzed, "isStopped": is_stopped}


def found(
    *connections: dict[str, Any],
    holidays: tuple[str, ...] = ("2026-10-03",),
    unread: tuple[dict[str, Any], ...] = (),
    more: int = 0,
    month: Month = OCTOBER,
    manages: bool = True,
    waiting: int = 0,
) -> list[Condition]:
    sources = Sources(
        answer("operations", totalSize=waiting),
        answer("uncertainCommits"),
        answer("settings", holidays=[{"date": one, "name": "A day"} for one in holidays]),
        answer("connections", *connections),
        answer("repositories", *unread, totalSize=len(unread) + more),
    )
    return readiness(month, manages, sources)


def warned(conditions: list[Condition]) -> list[str]:
    return [one.text for one in conditions if one.kind == WARN]


def test_a_month_that_lacks_nothing_is_ready() -> None:
    conditions = found(connection("Host", "2026-11-03T04:00:00Z", health="HEALTHY"))
    assert warned(conditions) == []
    texts = [one.text for one in conditions]
    assert "No connection fails" in texts
    assert "1 holiday is in October 2026" in texts


@pytest.mark.parametrize("last", ["2026-10-20T04:00:00Z", "2026-10-31T23:00:00Z", None])
def test_a_connection_that_was_not_read_after_the_month_is_missing_in_it(last: str | None) -> None:
    late = connection("Host", last)
    whole = connection("Board", "2026-11-02T04:00:00Z")
    [told] = [one for one in found(late, whole) if "connection" in one.text]
    assert (told.text, told.kind, told.way[1]) == ("1 connection fails: Host", WARN, "connections")
    assert "missing in October 2026" in told.hint


def test_a_connection_that_fails_since_the_month_is_said_and_takes_nothing_of_it() -> None:
    conditions = found(
        connection("Host", "2026-11-02T04:00:00Z"), connection("Board", "2026-11-02T04:00:00Z")
    )
    assert warned(conditions) == []
    [told] = [one for one in conditions if "connection" in one.text]
    assert told.text == "2 connections fail: Host and Board"
    assert "so its work is here" in told.hint


@pytest.mark.parametrize(
    "row",
    [
        connection("Writer", None, category="MODEL_ENDPOINT"),
        connection("Host", None, health="LIMITED", failureReason="RATE_LIMITED"),
    ],
)
def test_a_connection_that_brings_no_facts_or_only_waits_is_no_failure(row: dict[str, Any]) -> None:
    assert warned(found(row)) == []


@pytest.mark.parametrize(
    ("days", "is_missing"), [((), True), (("2025-12-25",), True), (("2026-12-25",), False)]
)
def test_a_year_without_holidays_is_a_warning(days: tuple[str, ...], is_missing: bool) -> None:
    conditions = found(holidays=days)
    assert ("The calendar has no holiday in 2026" in warned(conditions)) is is_missing
    if not is_missing:
        assert "No holidays are in October 2026" in [one.text for one in conditions]


def test_who_may_not_change_the_calendar_is_told_who_does() -> None:
    [told] = [one for one in found(holidays=(), manages=False) if one.kind]
    assert (told.way, told.hint.endswith("An owner or admin enters them.")) == (("", ""), True)


def of_repositories(*unread: dict[str, Any], more: int = 0) -> list[Condition]:
    return [one for one in found(unread=unread, more=more) if "repositor" in one.text]


@pytest.mark.parametrize("last", ["2026-10-20T04:00:00Z", "2026-10-31T23:00:00Z", None])
def test_a_repository_that_was_not_read_after_the_month_is_missing_in_it(last: str | None) -> None:
    whole = repository("whole", "2026-11-20T04:00:00Z")
    [told] = of_repositories(whole, *(repository(name, last) for name in "abcd"))
    assert (told.text, told.kind) == ("4 repositories cannot be read: a, b, c and 1 more", WARN)
    assert "missing in October 2026" in told.hint


def test_a_repository_that_fails_since_the_month_is_said_and_takes_nothing_of_it() -> None:
    [told] = of_repositories(repository("web", "2026-11-20T04:00:00Z"))
    assert (told.text, told.kind) == ("1 repository cannot be read: web", "")
    assert "so its commits are here" in told.hint


def test_a_repository_that_somebody_stopped_is_named_as_stopped() -> None:
    stopped = repository("web", "2026-10-20T04:00:00Z", is_stopped=True)
    failing = repository("api", "2026-10-20T04:00:00Z")
    told = of_repositories(failing, stopped)
    assert [one.text for one in told] == ["1 repository is stopped: web", "1 repository cannot be read: api"]
    assert {one.kind for one in told} == {WARN}


def test_repositories_beyond_those_that_the_page_reads_are_a_warning() -> None:
    told = of_repositories(repository("web", "2026-11-20T04:00:00Z"), more=2)
    assert [(one.text, one.kind) for one in told] == [
        ("1 repository cannot be read: web", ""),
        ("2 more repositories need attention", WARN),
    ]


def test_what_the_reader_may_not_see_is_not_said() -> None:
    conditions = readiness(OCTOBER, False, Sources(*[REFUSED] * 5))
    assert [one.text for one in conditions] == ["The month is complete"]


def test_a_running_month_and_waiting_changes_are_not_ready() -> None:
    month = Month(date(2026, 11, 1), RUNNING, Share(people=4, undated=1))
    told = warned(found(month=month, waiting=2))
    assert told[:2] == ["November 2026 still runs", "2 changes wait for a build"]
    assert told[-1] == "1 developer has no joining date"
