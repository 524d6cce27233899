"""Pull requests of the invented organization: the oracle's side, and their rows of marts.

They follow from the commits of the facts: two of three delivered commits came by a squash, and some pull requests are
open or closed. Tests compare what the API answers with loops over these.
"""

import random
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from tests.api.ai_usage_facts import cost_columns, linked_by_commit
from tests.api.published_facts import AS_OF, UNIT, Commit, Facts, found

MEASURES = {
    # From and to, as the attributes of a pull request are called.
    "cycle": ("created_at", "merged_at"),
    "open": ("created_at", "closed_at"),
    "pickup": ("created_at", "reviewed_at"),
    "review": ("reviewed_at", "approved_at"),
    "approval": ("created_at", "approved_at"),
    "merge": ("approved_at", "merged_at"),
}


@dataclass(frozen=True)
class PullRequest:
    """A pull request. A draft has no state but open."""

    number: int
    repository: str
    # None: the account belongs to no developer.
    developer: str | None
    state: str
    created_at: datetime
    closed_at: datetime | None = None
    reviewer: str | None = None
    reviewed_at: datetime | None = None
    approved_at: datetime | None = None
    is_draft: bool = False
    commits: list[Commit] = field(default_factory=list)

    @property
    def id(self) -> str:
        return found("pull_request", f"{self.repository} {self.number}")

    @property
    def merged_at(self) -> datetime | None:
        return self.closed_at if self.state == "merged" else None

    @property
    def title(self) -> str:
        return f"Merge change number {self.number}"

    @property
    def branch(self) -> str:
        return f"topic/{self.number}-of-{'nobody' if self.developer is None else 'someone'}"

    @property
    def etv(self) -> int:
        return sum(commit.etv for commit in self.commits)

    @property
    def ai(self) -> bool:
        return any(commit.ai for commit in self.commits)

    def hours(self, measure: str) -> int | None:
        """Millionths of hours by the calendar."""
        first: datetime | None
        last: datetime | None
        first, last = (getattr(self, name) for name in MEASURES[measure])
        if first is None or last is None:
            return None
        return (last - first) // timedelta(microseconds=1) // 3600

    def working_hours(self, measure: str) -> int | None:
        """A third of the hours: the service shows what the models computed."""
        hours = self.hours(measure)
        return None if hours is None else hours // 3


def login(facts: Facts, developer: str | None) -> str:
    """The account of a developer."""
    return "stranger" if developer is None else facts.developers[developer].lower()


@cache
def pull_requests(facts: Facts, seed: int = 11) -> list[PullRequest]:
    """The pull requests of the facts, always the same."""
    dice = random.Random(seed)
    made = []
    people = [key for key in facts.developers if key != facts.bot]
    delivered = [commit for commit in facts.commits if commit.delivered_at is not None]
    for number, commit in enumerate(delivered, 1):
        if number % 3 == 0:
            continue
        assert commit.delivered_at is not None
        created = commit.authored_at - timedelta(minutes=dice.randrange(30, 6000))
        others = [key for key in people if key != commit.developer]
        reviewer = dice.choice([None, *others])
        reviewed = approved = None
        if reviewer is not None:
            reviewed = created + (commit.delivered_at - created) * dice.random()
            approved = (
                reviewed + (commit.delivered_at - reviewed) * dice.random() if dice.random() < 0.7 else None
            )
        made.append(
            PullRequest(
                number,
                commit.repository,
                commit.developer,
                "merged",
                created,
                commit.delivered_at,
                reviewer,
                reviewed,
                approved,
                commits=[commit],
            )
        )
    for number in range(len(delivered) + 1, len(delivered) + 25):
        created = AS_OF - timedelta(hours=dice.randrange(1, 2000))
        made.append(
            PullRequest(
                number,
                dice.choice(list(facts.repositories)),
                dice.choice([None, *facts.developers]),
                "closed" if number % 4 == 0 else "open",
                created,
                created + timedelta(hours=1) if number % 4 == 0 else None,
                is_draft=number % 4 == 1,
            )
        )
    return made


def team_of(facts: Facts, one: PullRequest) -> str | None:
    """The team of the author on the day of creation."""
    return None if one.developer is None else facts.team_on(one.developer, one.created_at.date())


def rows(facts: Facts) -> dict[str, Iterable[dict[str, Any]]]:
    """The rows by mart, without the prefix of its name."""
    made, spent = pull_requests(facts), linked_by_commit(facts)
    return {
        "pull_requests": [
            _row(facts, one) | cost_columns(spent, [commit.id for commit in one.commits]) for one in made
        ],
        "pull_request_times": [row for one in made for row in _times(facts, one)],
        "pull_request_commits": [
            {
                "pull_request_id": one.id, "commit_id": commit.id, "commit_sha": commit.sha, "how": "squash",
                "etv_micro": commit.etv,
            }
            for one in made
            for commit in one.commits
        ],
        "pull_request_issues": [row for one in made for row in _issues(facts, one)],
        "reviews": [row for one in made for row in _reviews(facts, one)],
    }  # fmt: skip


def commit_columns(facts: Facts) -> dict[str, dict[str, Any]]:
    """By commit: the columns that name its pull request."""
    return {
        commit.id: {"pull_request_id": one.id, "pull_request_number": one.number}
        for one in pull_requests(facts)
        for commit in one.commits
    }


def _row(facts: Facts, one: PullRequest) -> dict[str, Any]:
    measured = {
        f"{measure}_{kind}_micro": value
        for measure in MEASURES
        for kind, value in (("hours", one.hours(measure)), ("working_hours", one.working_hours(measure)))
    }
    return {
        "pull_request_id": one.id, "repository_id": one.repository, "number": one.number, "title": one.title,
        "repository_name": facts.repositories[one.repository], "state": one.state, "is_draft": one.is_draft,
        "author": login(facts, one.developer), "developer_id": one.developer,
        "developer_name": one.developer and facts.developers[one.developer], "team_id": team_of(facts, one),
        "is_bot": one.developer == facts.bot, "is_sandbox": one.repository == facts.sandbox,
        "created_at": one.created_at, "created_on": one.created_at.date(), "ready_at": one.created_at,
        "waiting_since": waiting_since(one),
        "first_review_at": one.reviewed_at, "approved_at": one.approved_at, "merged_at": one.merged_at,
        "merged_on": one.merged_at and one.merged_at.date(),
        "merged_by": login(facts, one.reviewer or one.developer) if one.merged_at else None,
        "closed_at": one.closed_at, "source_branch": one.branch, "target_branch": "main",
        "url": f"https://git.example/pulls/{one.number}", "labels": ["size: small"],
        "requested_reviewers": requested(facts, one),
        "awaited_reviewers": awaited(facts, one), "source_shas": sources(one),
        "merged_by_way": "squash" if one.commits else None, "source_commit_count": 2,
        "delivered_commit_count": len(one.commits), "etv_micro": one.etv,
        "reviewer_count": int(one.reviewer is not None), "review_count": int(one.reviewer is not None),
        "commits_after_review": 1 if one.reviewer else None, "rework_share_micro": UNIT // 2 if one.reviewer else None,
        "is_ai_assisted": one.ai, "ai_basis": "commits" if one.ai else None,
        "ai_tools": ["claude_code"] if one.ai else [], "issue_keys": [f"WEB-{one.number}"],
        "referenced_keys": [f"WEB-{one.number}", "UTF-8"],
    } | measured  # fmt: skip


def awaited(facts: Facts, one: PullRequest) -> list[str]:
    """The bot, which answers nothing, while the pull request is open."""
    return [login(facts, facts.bot)] if one.state == "open" else []


def requested(facts: Facts, one: PullRequest) -> list[str]:
    """The bot, and the reviewer where there is one."""
    return [login(facts, facts.bot), *([login(facts, one.reviewer)] if one.reviewer else [])]


def sources(one: PullRequest) -> list[str]:
    """Two commits of the source branch."""
    return [f"{one.number:040x}", f"{one.number + 1:040x}"]


def closed_hours(one: PullRequest, measure: str) -> int | None:
    """Millionths of hours in which it was closed: half an hour for each third open one."""
    first, _ = MEASURES[measure]
    if one.state == "open" and getattr(one, first):
        return 500_000 if one.number % 3 == 0 else 0
    return None if one.hours(measure) is None else 0


def waiting_since(one: PullRequest) -> datetime | None:
    """The creation of an open one, and half an hour later for each third."""
    closed = closed_hours(one, "open")
    return None if one.state != "open" or closed is None else one.created_at + timedelta(hours=closed / UNIT)


def _times(facts: Facts, one: PullRequest) -> Iterator[dict[str, Any]]:
    author, reviewer = login(facts, one.developer), one.reviewer and login(facts, one.reviewer)
    events = {
        "created_at": ("created", author), "reviewed_at": ("first_review", reviewer),
        "approved_at": ("approved", reviewer), "merged_at": ("merged", reviewer or author),
        "closed_at": ("merged" if one.state == "merged" else "closed", reviewer or author),
    }  # fmt: skip
    for measure, (first, last) in MEASURES.items():
        is_known = one.hours(measure) is not None
        yield {
            "pull_request_id": one.id, "team_id": team_of(facts, one), "developer_id": one.developer,
            "measure": measure, "started_by": events[first][0], "started_at": getattr(one, first),
            "started_by_login": events[first][1] if getattr(one, first) else None,
            "ended_by": events[last][0] if is_known else None, "ended_at": getattr(one, last) if is_known else None,
            "ended_by_login": events[last][1] if is_known else None,
            "hours_micro": one.hours(measure), "working_hours_micro": one.working_hours(measure),
            "closed_hours_micro": closed_hours(one, measure),
            "missing_reason": None if is_known else "OPEN" if one.state == "open" else "NOT_REVIEWED",
        }  # fmt: skip


def _issues(facts: Facts, one: PullRequest) -> Iterator[dict[str, Any]]:
    """An issue of the whole organization, and one of the first team."""
    for number, team in enumerate((None, next(iter(facts.teams)))):
        yield {
            "pull_request_id": one.id, "team_id": team_of(facts, one), "developer_id": one.developer,
            "item_id": found("item", f"{one.number} {number}"), "item_team_id": team,
            "item_key": f"WEB-{one.number}{number}", "item_title": f"Issue {one.number}{number}",
            "item_type_name": "Bug", "item_status_category": "done", "level": "issue",
            "found_in": "linked" if number == 0 else "title", "objective_id": found("item", "objective"),
        }  # fmt: skip


def _reviews(facts: Facts, one: PullRequest) -> Iterator[dict[str, Any]]:
    if one.reviewer is None or one.reviewed_at is None:
        return
    day = one.reviewed_at.date()
    yield {
        "pull_request_id": one.id, "repository_id": one.repository, "reviewer": login(facts, one.reviewer),
        "developer_id": one.reviewer, "developer_name": facts.developers[one.reviewer],
        "team_id": facts.team_on(one.reviewer, day), "is_sandbox": one.repository == facts.sandbox,
        "reviewed_on": day, "answers": 1, "approvals": int(one.approved_at is not None),
        "reviews": int(one.approved_at is None), "response_hours_micro": one.hours("pickup"),
    }  # fmt: skip
