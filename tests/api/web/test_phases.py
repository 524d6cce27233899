"""The times of a pull request that has no end say what runs, since when, and what the others wait for."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from api.web.drawing.figures import duration
from api.web.reading import Answer, OrganizationReader
from api.web.work.phases import with_waits, without_time
from tests.api.web.own_organization import address, published
from tests.api.web.test_work import ALL_DAYS, shown, told

__all__ = ["address", "published"]


@pytest.fixture(scope="module")
def owner(browser_of: Callable[[str], httpx.Client]) -> httpx.Client:
    return browser_of("owner")


def phase(
    measure: str, by: str, reason: str | None, *, started: bool = True, runs: bool = False
) -> dict[str, Any]:
    return {
        "measure": measure, "startedBy": by, "startedAt": "2026-11-02T09:00:00Z" if started else None,
        "missingReason": reason, "runningHours": 3.5 if runs else None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("state", "one", "words"),
    [
        ("OPEN", phase("PICKUP", "READY", "NOT_REVIEWED", runs=True), "runs until the first review"),
        ("OPEN", phase("CYCLE", "CREATED", "OPEN", runs=True), "runs until the merge"),
        (
            "OPEN",
            phase("REVIEW", "FIRST_REVIEW", "NOT_APPROVED", started=False),
            "begins with the first review",
        ),
        ("OPEN", phase("MERGE", "APPROVED", "NOT_APPROVED", started=False), "begins with the approval"),
        ("OPEN", phase("PICKUP", "READY", "DRAFT", started=False), "begins when it is no draft any more"),
        ("OPEN", phase("PICKUP", "READY", None), ""),
        ("MERGED", phase("PICKUP", "READY", "NOT_REVIEWED"), "nobody reviewed it"),
        ("MERGED", phase("MERGE", "APPROVED", "NOT_APPROVED", started=False), "nobody approved it"),
        ("CLOSED", phase("MERGE", "APPROVED", "NOT_MERGED"), "it was not merged"),
        ("MERGED", phase("CYCLE", "CREATED", None), ""),
    ],
)
def test_a_time_without_an_end_says_why(state: str, one: dict[str, Any], words: str) -> None:
    assert without_time(one, state) == words


def test_phases_that_run_since_the_same_moment_have_the_same_working_hours() -> None:
    opened = phase("OPEN", "CREATED", "OPEN", runs=True) | {"closedHours": 0.0}
    pickup = phase("PICKUP", "READY", "NOT_REVIEWED", runs=True) | {"closedHours": 0.0}
    earlier = phase("CYCLE", "FIRST_COMMIT", "OPEN", runs=True) | {
        "startedAt": "2026-11-01T09:00:00Z",
        "closedHours": 0.0,
    }
    ended = phase("REVIEW", "READY", None) | {"closedHours": 0.0}
    phases = [earlier, opened, pickup, ended]
    assert [one["runningWorkingHours"] for one in with_waits(phases, 72.0)] == [None, 72.0, 72.0, None]
    assert [one["runningWorkingHours"] for one in with_waits(phases, None)] == [None] * 4
    # Without a wait for a review no check counts the hours.
    assert [one["runningWorkingHours"] for one in with_waits([earlier, opened], 72.0)] == [None, None]


def test_the_clocks_of_an_open_pull_request_run(owner: httpx.Client) -> None:
    rows = told(owner, "pullRequests", state="OPEN", pageSize=1000)["pullRequests"]
    waiting = [row for row in rows if row["reviewCount"] == 0 and not row["isDraft"]]
    assert {
        has_running_clocks(owner, next(row for row in waiting if (row["number"] % 3 == 0) is was_closed))
        for was_closed in (False, True)
    } == {False, True}


def has_running_clocks(owner: httpx.Client, one: dict[str, Any]) -> bool:
    """Whether the times that run leave out hours in which the pull request was closed."""
    was_closed = False
    phases = told(owner, f"pullRequests/{one['id']}")["phases"]
    page = shown(owner, f"pullRequests/{one['id']}")
    assert "How long has it taken so far?" in page.text
    rows_of_phases = [row for row in page.rows if len(row) == 5]
    running = [found for found in phases if found["runningHours"] is not None]
    assert 0 < len(running) < len(phases)
    for found in phases:
        row = next(row for row in rows_of_phases if row[0].startswith(found["measure"].capitalize()))
        if found in running:
            told_hours = " ".join(duration(found["runningHours"]).split())
            closed = " ".join(duration(found["closedHours"]).split())
            without = f", without {closed} while it was closed" if found["closedHours"] else ""
            assert (row[1], row[4]) == (f"{told_hours}until the build{without}", "still runs")
            was_closed |= found["closedHours"] > 0
        else:
            assert "begins with" in row[0]
            assert row[3].endswith("not yet")
    return was_closed


def test_a_merged_pull_request_has_no_running_clock(owner: httpx.Client) -> None:
    merged = told(owner, "pullRequests", state="MERGED", pageSize=1)["pullRequests"][0]
    text = shown(owner, f"pullRequests/{merged['id']}").text
    assert "How long did it take?" in text
    assert "until the build" not in text


@pytest.mark.parametrize("phases", [[], [{"phase": "DAILY", "people": 3}]])
def test_phases_of_adoption_are_a_column_where_a_vendor_tells_them(
    owner: httpx.Client, monkeypatch: pytest.MonkeyPatch, phases: list[dict[str, Any]]
) -> None:
    read = OrganizationReader.read

    async def changed(self: OrganizationReader, path: str = "", **asked: Any) -> Answer:
        answer = await read(self, path, **asked)
        if path == "aiSpend/adoption":
            answer.body["points"][-1].update({"phases": phases, "activeDevelopers": 4})
        return answer

    monkeypatch.setattr(OrganizationReader, "read", changed)
    page = shown(owner, "ai", **ALL_DAYS)
    heads = next(row for row in page.rows if "First use" in row)
    assert ("Phases of adoption" in heads) is bool(phases)
    assert ("are told by none here" in page.text) is not bool(phases)
    assert ("Daily 3" in page.text) is bool(phases)
