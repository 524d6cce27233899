"""Occurrences of checks of the invented organization: the oracle's side, and their rows of marts.

They follow from the invented pull requests: one that was open for long enough is an occurrence, and it lasts while the
pull request is open.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from tests.api.published_facts import UNIT, Facts, found
from tests.api.pull_request_facts import PullRequest, pull_requests, team_of

THRESHOLDS = {"open_too_long": timedelta(hours=30), "waiting_for_review": timedelta(hours=20)}


@dataclass(frozen=True)
class Occurrence:
    """A pull request that was open for longer than the threshold of the kind."""

    kind: str
    of: PullRequest
    ended_at: datetime | None

    @property
    def id(self) -> str:
        return found("check", f"{self.kind} {self.of.id}")

    @property
    def opened_at(self) -> datetime:
        return self.of.created_at + THRESHOLDS[self.kind]

    @property
    def ended_by(self) -> str | None:
        if self.ended_at is None:
            return None
        return "reviewed" if self.ended_at == self.of.reviewed_at else self.of.state

    @property
    def is_critical(self) -> bool:
        return self.of.number % 5 == 0


def occurrences(facts: Facts) -> list[Occurrence]:
    """The occurrences of the facts, always the same."""
    made = []
    for one in pull_requests(facts):
        if one.repository == facts.sandbox or one.developer == facts.bot or one.is_draft:
            continue
        ends = {"open_too_long": one.closed_at, "waiting_for_review": one.reviewed_at or one.closed_at}
        made += [
            Occurrence(kind, one, end)
            for kind, end in ends.items()
            if (end or facts_end(facts)) - one.created_at > THRESHOLDS[kind]
        ]
    return made


def facts_end(facts: Facts) -> datetime:
    """The instant at which the invented build was made."""
    return max(one.created_at for one in pull_requests(facts))


def rows(facts: Facts) -> dict[str, Iterable[dict[str, Any]]]:
    """The rows by mart, without the prefix of its name."""
    made = occurrences(facts)
    return {
        "check_occurrences": [_row(facts, one) for one in made],
        "check_episodes": [_episode(facts, one) for one in made],
    }


def _row(facts: Facts, one: Occurrence) -> dict[str, Any]:
    pull = one.of
    episode = _episode(facts, one)
    del episode["number"]
    return episode | {
        "kind": one.kind, "subject_type": "pull_request", "subject_id": pull.id, "subject_title": pull.title,
        "subject_reference": f"#{pull.number}", "url": f"https://git.example/pulls/{pull.number}",
        "repository_id": pull.repository, "repository_name": facts.repositories[pull.repository],
        "developer_name": pull.developer and facts.developers[pull.developer], "episode_count": 1,
        "first_opened_at": one.opened_at,
    }  # fmt: skip


def _episode(facts: Facts, one: Occurrence) -> dict[str, Any]:
    return {
        "occurrence_id": one.id, "number": 1, "developer_id": one.of.developer, "team_id": team_of(facts, one.of),
        "opened_at": one.opened_at, "ended_at": one.ended_at, "ended_by": one.ended_by,
        "measured_micro": 30 * UNIT, "threshold_micro": 20 * UNIT, "is_critical": one.is_critical,
    }  # fmt: skip
