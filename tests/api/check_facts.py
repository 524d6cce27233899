"""Occurrences of checks of the invented organization: the oracle's side, and their rows of marts.

They follow from the invented pull requests: one that was open for long enough is an occurrence, and it lasts while the
pull request is open. A file of each repository is one of nobody.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from typing import Any

from tests.api.published_facts import AS_OF, UNIT, Facts, found
from tests.api.pull_request_facts import PullRequest, pull_requests, team_of

MICROSECOND = timedelta(microseconds=1)
# Working time passes all day and every day.
DAY = timedelta(days=1)
UNIT_OF_KIND = {"open_too_long": DAY, "waiting_for_review": timedelta(hours=1)}
THRESHOLDS = {"open_too_long": timedelta(hours=30), "waiting_for_review": timedelta(hours=20)}


@dataclass(frozen=True)
class BusyFile:
    """A file that one person changes, as a check sees it: without the person."""

    number: int
    repository: str
    created_at: datetime
    developer: None = None
    title: str = "src/busy.py"

    @property
    def id(self) -> str:
        return found("file", self.repository)


@dataclass(frozen=True)
class Occurrence:
    """A pull request that was open for longer than the threshold of the kind, or a busy file."""

    kind: str
    of: PullRequest | BusyFile
    ended_at: datetime | None

    @property
    def id(self) -> str:
        return found("check", f"{self.kind} {self.of.id}")

    @property
    def opened_at(self) -> datetime:
        return self.of.created_at + THRESHOLDS.get(self.kind, timedelta(0))

    @property
    def reference(self) -> str | None:
        return f"#{self.of.number}" if isinstance(self.of, PullRequest) else None

    @property
    def ended_by(self) -> str | None:
        if self.ended_at is None or isinstance(self.of, BusyFile):
            return None
        return "reviewed" if self.ended_at == self.of.reviewed_at else self.of.state

    @property
    def is_critical(self) -> bool:
        return self.of.number % 5 == 0


@cache
def occurrences(facts: Facts) -> list[Occurrence]:
    """The occurrences of the facts, always the same."""
    pulls = [
        one
        for one in measured(facts)
        if (one.ended_at or facts_end(facts)) - one.of.created_at > THRESHOLDS[one.kind]
    ]
    return pulls + [
        Occurrence("hot_file_of_one_person", BusyFile(number, repository, facts_end(facts)), None)
        for number, repository in enumerate(sorted(facts.repositories.keys() - {facts.sandbox}))
    ]


@cache
def measured(facts: Facts) -> list[Occurrence]:
    """Every pull request for each kind, however long it was open."""
    return [
        Occurrence(kind, one, end)
        for one in pull_requests(facts)
        if one.repository != facts.sandbox and one.developer != facts.bot and not one.is_draft
        for kind, end in (
            ("open_too_long", one.closed_at),
            ("waiting_for_review", one.reviewed_at or one.closed_at),
        )
    ]


def team_of_checked(facts: Facts, one: Occurrence) -> str | None:
    """The team of the person whose work it is; None where it is nobody's."""
    return team_of(facts, one.of) if isinstance(one.of, PullRequest) else None


def usual_time(pull: PullRequest | BusyFile) -> timedelta | None:
    """The median of the weeks before, which nobody knows for some."""
    return None if pull.number % 3 == 0 else timedelta(hours=6 + 6 * (pull.number % 5))


def backtested(
    facts: Facts, kind: str, threshold: timedelta, first: date, last: date, multiple: float | None = None
) -> dict[str, tuple[datetime, timedelta]]:
    """What would have opened on these days: opening and threshold by subject. A multiple applies to known medians."""
    found = {}
    for one in measured(facts):
        usual = usual_time(one.of)
        limit = threshold if multiple is None or usual is None else multiple * usual
        opened = one.of.created_at + limit
        reached = (one.ended_at or AS_OF) - one.of.created_at >= limit
        if one.kind == kind and reached and first <= opened.date() <= last:
            found[one.of.id] = (opened, limit)
    return found


@cache
def facts_end(facts: Facts) -> datetime:
    """The instant at which the invented build was made."""
    return max(one.created_at for one in pull_requests(facts))


def rows(facts: Facts) -> dict[str, Iterable[dict[str, Any]]]:
    """The rows by mart, without the prefix of its name."""
    made = occurrences(facts)
    return {
        "check_occurrences": [_row(facts, one) for one in made],
        "check_episodes": [_episode(facts, one) for one in made],
        "check_stretches": [_stretch(facts, one) for one in measured(facts)],
        "working_days": [_working_day(facts, day) for day in range((AS_OF - _begin(facts)).days + 2)],
    }


@cache
def _begin(facts: Facts) -> datetime:
    """The start of the working time."""
    first = min(one.of.created_at for one in measured(facts))
    return datetime.combine(first.date(), time(), UTC)


def _working_day(facts: Facts, number: int) -> dict[str, Any]:
    start = _begin(facts) + number * DAY
    return {
        "day": start.date(), "starts_micros": (start - datetime(1970, 1, 1, tzinfo=UTC)) // MICROSECOND,
        "length_micros": DAY // MICROSECOND, "micros_before": number * DAY // MICROSECOND, "seconds_per_day": 86400,
    }  # fmt: skip


def _stretch(facts: Facts, one: Occurrence) -> dict[str, Any]:
    pull, begin, usual = one.of, _begin(facts), usual_time(one.of)
    return {
        "kind": one.kind, "subject_type": "pull_request", "subject_id": pull.id, "repository_id": pull.repository,
        "developer_id": pull.developer, "team_id": team_of_checked(facts, one), "started_at": pull.created_at,
        "ended_at": one.ended_at, "ended_by": one.ended_by, "value_micro": None,
        "worked_at_start": (pull.created_at - begin) // MICROSECOND,
        "worked_at_end": ((one.ended_at or AS_OF) - begin) // MICROSECOND,
        "subject_title": None, "usual_micro": usual and usual * UNIT // UNIT_OF_KIND[one.kind],
    }  # fmt: skip


def _row(facts: Facts, one: Occurrence) -> dict[str, Any]:
    pull = one.of
    episode = _episode(facts, one)
    del episode["number"]
    return episode | {
        "kind": one.kind, "subject_type": "pull_request" if one.reference else "file", "subject_id": pull.id,
        "subject_title": pull.title, "subject_reference": one.reference,
        "url": f"https://git.example/pulls/{pull.number}" if one.reference else None,
        "repository_id": pull.repository, "repository_name": facts.repositories[pull.repository],
        "developer_name": pull.developer and facts.developers[pull.developer], "episode_count": 1,
        "first_opened_at": one.opened_at,
    }  # fmt: skip


def _episode(facts: Facts, one: Occurrence) -> dict[str, Any]:
    return {
        "occurrence_id": one.id, "number": 1, "developer_id": one.of.developer, "team_id": team_of_checked(facts, one),
        "opened_at": one.opened_at, "ended_at": one.ended_at, "ended_by": one.ended_by,
        "measured_micro": 30 * UNIT, "threshold_micro": 20 * UNIT, "is_critical": one.is_critical,
    }  # fmt: skip
