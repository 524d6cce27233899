"""What a lock of a month should wait for: work that is not in its figures yet, and what its hours lack.

Keep out: whether a lock is possible (control/capex/locks.py).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Any

from api.web.drawing.figures import joined
from api.web.drawing.health import missed
from api.web.money.months import RUNNING, Month, after
from api.web.reading import Answer

WARN = "warn"
MOST_NAMES = 3
"""Connections or repositories that a condition names."""


@dataclass(frozen=True, slots=True)
class Condition:
    """A line of the list. `kind` is WARN where it is not met; `way` is a label and an address below the organization
    (or a place of the page) that helps.
    """

    text: str
    hint: str = ""
    kind: str = ""
    way: tuple[str, str] = ("", "")


@dataclass(frozen=True, slots=True)
class Sources:
    """Answers that tell whether a month is whole. One that the reader may not see tells nothing."""

    operations: Answer
    """Changes that wait for a build."""
    uncertain: Answer
    settings: Answer
    connections: Answer
    unread: Answer
    """Repositories that need attention: those that cannot be read, and stopped ones."""


def readiness(month: Month, manages: bool, sources: Sources) -> list[Condition]:
    """The conditions of a lock in the order of the page. `manages`: the reader may change people and calendar."""
    return [
        _complete(month),
        *_waiting(sources.operations),
        *_connections(month, sources.connections),
        *_repositories(month, sources.unread),
        *_uncertain(sources.uncertain),
        *_holidays(month, manages, sources.settings),
        *_undated(month, manages),
    ]


def _complete(month: Month) -> Condition:
    if month.state != RUNNING:
        return Condition("The month is complete", f"since {after(month.first):%-d %b}")
    return Condition(f"{month.name} still runs", f"It can be locked after {month.last:%-d %b %Y}.", WARN)


def _waiting(operations: Answer) -> Iterator[Condition]:
    if not operations.is_there:
        return
    waiting = operations.body["totalSize"]
    noun = "change waits" if waiting == 1 else "changes wait"
    if waiting:
        yield Condition(
            f"{waiting:,} {noun} for a build", "A lock is possible when they are in the figures.", WARN
        )
    else:
        yield Condition("No change waits for a build")


def _connections(month: Month, connections: Answer) -> Iterator[Condition]:
    """The connections that fail. Of one that was last read before the month was over, work of its rest is missing."""
    if not connections.rows("connections"):
        return
    failing = missed(connections.rows("connections"))
    late = [one for one in failing if _day(one["lastSyncedAt"]) <= month.last]
    if not failing:
        yield Condition("No connection fails")
        return
    shown = late or failing
    verb = "connection fails" if len(shown) == 1 else "connections fail"
    hint = (
        f"What happened since the last sync is missing in {month.name}: pull requests, issues or use of AI."
        if late
        else f"The last sync was after {month.name}, so its work is here; only later changes of it are missing."
    )
    yield Condition(
        f"{len(shown):,} {verb}: {_named(shown)}",
        hint,
        WARN if late else "",
        ("See the reasons", "connections"),
    )


def _day(at: str | None) -> date:
    """The day of an instant; the first day of all without one."""
    return date.fromisoformat(at[:10]) if at else date.min


def _repositories(month: Month, unread: Answer) -> Iterator[Condition]:
    """Repositories that cannot be read, and those that somebody stopped. Of one that was last analysed before the month
    was over, commits of its rest are missing.
    """
    rows = unread.rows("repositories")
    late = [one for one in rows if _day(one["analyzedAt"]) <= month.last]
    shown = late or rows
    # More than the page reads: what the others lack is unknown.
    more = unread.body["totalSize"] - len(rows) if rows else 0
    ways = (
        ("is stopped", "are stopped", [one for one in shown if one["isStopped"]]),
        ("cannot be read", "cannot be read", [one for one in shown if not one["isStopped"]]),
    )
    hint = (
        f"Commits since the last analysis are missing in {month.name}."
        if late
        else f"The last analysis was after {month.name}, so its commits are here; only later ones are missing."
    )
    for of_one, of_many, found in ways:
        if found:
            noun = f"repository {of_one}" if len(found) == 1 else f"repositories {of_many}"
            yield Condition(
                f"{len(found):,} {noun}: {_named(found)}",
                hint,
                WARN if late else "",
                ("See the reasons", "manage?state=NEEDS_ATTENTION"),
            )
    if more:
        noun = "repository needs" if more == 1 else "repositories need"
        yield Condition(
            f"{more:,} more {noun} attention",
            f"Commits since their last analysis are missing, perhaps in {month.name}.",
            WARN,
            ("See the reasons", "manage?state=NEEDS_ATTENTION"),
        )


def _uncertain(uncertain: Answer) -> Iterator[Condition]:
    if not uncertain.is_there:
        return
    number = uncertain.body["totalSize"]
    verb = "commit has" if number == 1 else "commits have"
    if number:
        yield Condition(
            f"{number:,} {verb} an uncertain category", "Decide below, or lock with the interval.", WARN
        )
    else:
        yield Condition("No category is uncertain")


def _holidays(month: Month, manages: bool, settings: Answer) -> Iterator[Condition]:
    """Holidays of the year: without any, nobody has entered them, and each of them counts as a working day."""
    if not settings.is_there:
        return
    days = [one["date"] for one in settings.body["holidays"]]
    in_year = sum(one[:4] == f"{month.first:%Y}" for one in days)
    in_month = sum(one[:7] == f"{month.first:%Y-%m}" for one in days)
    if in_year:
        told = "holiday is" if in_month == 1 else "holidays are"
        yield Condition(f"{in_month or 'No'} {told} in {month.name}", f"of {in_year} in the year")
        return
    hint = "Hours count each of them as a working day, if there are any."
    yield Condition(
        f"The calendar has no holiday in {month.first:%Y}",
        hint if manages else f"{hint} An owner or admin enters them.",
        WARN,
        ("Enter them in the calendar", "calendar") if manages else ("", ""),
    )


def _undated(month: Month, manages: bool) -> Iterator[Condition]:
    if undated := month.share.undated:
        noun = "developer has" if undated == 1 else "developers have"
        hint = "Whole months count for them, from the month of the first delivery or first day in a team on."
        yield Condition(
            f"{undated:,} {noun} no joining date",
            hint if manages else f"{hint} An owner or admin enters the dates.",
            WARN,
            ("Enter them below", "#people") if manages else ("", ""),
        )


def _named(rows: list[dict[str, Any]]) -> str:
    """The names of the first ones, with how many more there are."""
    names = [str(one["name"]) for one in rows[:MOST_NAMES]]
    more = len(rows) - len(names)
    return joined([*names, f"{more:,} more"] if more else names)
