"""Objectives and issues of an invented tracker, and the links of commits to them.

Who is aligned follows from the id of a commit, as `Change.is_aligned` and `Change.roadmap_etv` say: two of three
commits have an issue, and of every other one of these the first of three items reaches an objective. Keep out: the
figures of objectives over time (published_figures.py has those of repositories, developers and teams).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import cached_property
from itertools import pairwise
from typing import Any

from api.query.parameters import DEFAULT_SIZE
from tests.api.ai_usage_facts import linked_by_commit
from tests.api.published_facts import TODAY, Change, Commit, Facts, found

CONNECTION = "0190d3b0-0000-7000-8000-00000000c0de"
STATUSES = ("doing", "todo", "done", "canceled")
FOUND_IN = ("message", "trailer", "code", "pull_request", "branch")
CREATED = datetime(2026, 1, 5, 9, tzinfo=UTC)
Spent = tuple[int, int]


@dataclass(frozen=True)
class Item:
    """An item of the tracker."""

    id: str
    level: str = field(compare=False)
    key: str = field(compare=False)
    title: str = field(compare=False)
    number: int = field(compare=False)
    parent: "Item | None" = field(default=None, compare=False)
    team: str | None = field(default=None, compare=False)
    repository: str | None = field(default=None, compare=False)

    @property
    def status(self) -> str:
        return STATUSES[self.number % len(STATUSES)]

    @property
    def target(self) -> date | None:
        return None if self.number % 5 == 4 else TODAY + timedelta(days=30 * (self.number % 6) - 60)

    @property
    def is_overdue(self) -> bool:
        return self.status in ("todo", "doing") and self.target is not None and self.target < TODAY

    @cached_property
    def line(self) -> list["Item"]:
        """The item and all above it, nearest first."""
        return [self, *(self.parent.line if self.parent else [])]

    def nearest(self, level: str) -> "Item | None":
        return next((item for item in self.line if item.level == level), None)


@dataclass(frozen=True)
class Link:
    """A link of a commit to an item, with its share of the commit's ETV."""

    commit: Commit
    item: Item
    place: int
    of: int

    @property
    def found_in(self) -> str:
        return FOUND_IN[(int(self.commit.id[-3], 16) + self.place) % len(FOUND_IN)]

    def share(self, change: Change) -> int:
        if self.of == 1:
            return change.etv
        rest = change.etv - change.etv // 3
        return (change.etv // 3, rest // 2, rest - rest // 2)[self.place - 1]

    @cached_property
    def etv(self) -> int:
        return sum(self.share(change) for change in self.commit.changes)


@dataclass(frozen=True)
class Plan:
    """All items, and all links of the commits of some facts."""

    facts: Facts
    items: list[Item]
    links: list[Link]

    @property
    def objectives(self) -> list[Item]:
        return [item for item in self.items if item.level != "issue"]

    @property
    def issues(self) -> list[Item]:
        return [item for item in self.items if item.level == "issue"]

    @cached_property
    def told_apart(self) -> list[Item]:
        """Objectives that differ: of those that only fill a page, the first."""
        return self.objectives[: 1 - DEFAULT_SIZE]

    def below(self, objective: Item) -> list[Item]:
        """Items below an objective, at any depth."""
        return [item for item in self.items if objective in item.line[1:]]

    def reaching(self, objective: Item) -> list[Link]:
        """Links of items that are the objective or below it."""
        return [link for link in self.links if objective in link.item.line]


def make_plan(facts: Facts) -> Plan:
    """A goal of the organization, an objective with parts for it and for each team, and issues that reach none."""
    items: list[Item] = []

    def add(
        level: str, name: str, parent: Item | None, team: str | None, repository: str | None = None
    ) -> Item:
        number = len(items)
        key = f"{facts.repositories[repository]}#{number}" if repository else f"PLAN-{number}"
        title = f"{level.replace('_', ' ').capitalize()} {name} ({number})"
        made = Item(
            found("item", f"{CONNECTION}:{number}"), level, key, title, number, parent, team, repository
        )
        items.append(made)
        return made

    goal = add("objective", "above all", None, None)
    slots: list[list[Item]] = []
    loose: list[Item] = []
    repositories = list(facts.repositories)
    for slot, team in enumerate([None, *facts.teams]):
        objective = add("objective", f"O{slot}", goal if slot in (1, 2) else None, team)
        part = add("sub_objective", f"S{slot}", objective, team)
        issue = add("issue", f"I{slot}", part, team)
        named = add("sub_objective", "of a team", objective, list(facts.teams)[1]) if slot == 0 else part
        slots.append(
            [issue, add("issue", f"D{slot}", objective, team), add("issue", f"C{slot}", issue, team), named]
        )
        loose.append(add("issue", f"L{slot}", None, None, repositories[slot % len(repositories)]))
    add("objective", "nobody works for", None, None)
    # More than a page of other lists.
    for quarter in range(DEFAULT_SIZE):
        add("objective", f"of quarter {quarter}", None, None)
    links: list[Link] = []
    for commit in facts.commits:
        digit = int(commit.id[-1], 16)
        slot = int(commit.id[-4:-1], 16) % len(slots)
        others = [loose[slot], loose[(slot + 1) % len(loose)]]
        chosen = others[:1]
        if digit % 3 == 0:
            chosen = []
        elif digit % 2:
            chosen = [slots[slot][int(commit.id[-5], 16) % 4], *others]
        links += [Link(commit, item, place, len(chosen)) for place, item in enumerate(chosen, 1)]
    return Plan(facts, items, links)


def alignment(commit: Commit) -> dict[str, Any]:
    """The columns of a commit."""
    digit = int(commit.id[-1], 16)
    return {
        "is_aligned": digit % 3 > 0,
        "reaches_objective": digit % 3 > 0 and digit % 2 == 1,
        "alignment_reason": None if digit % 3 else "UNKNOWN_ISSUE" if digit % 2 else "NO_REFERENCE",
    }


def rows(facts: Facts) -> dict[str, Iterable[dict[str, Any]]]:
    """The rows by mart, without the prefix of its name."""
    plan = make_plan(facts)
    spent = costs_of_commits(facts)
    return {
        "objectives": [
            _objective(plan, item) | ai_cost(facts, spent, plan.reaching(item)) for item in plan.objectives
        ],
        "issues": [
            _issue(plan, item) | ai_cost(facts, spent, [link for link in plan.links if link.item == item])
            for item in plan.issues
        ],
        "commit_issues": [
            _link(facts, link)
            | dict(
                zip(("ai_cost_nano", "ai_cost_confidence_micro"), _ai_cost_share(spent, link), strict=True)
            )
            for link in plan.links
        ],
        "objective_days": _days(plan),
    }


def _shared(item: Item) -> dict[str, Any]:
    return {
        "connection_id": CONNECTION, "connection_name": "Plans", "connection_kind": "LINEAR", "key": item.key,
        "type_name": item.level, "title": item.title, "status": item.status.capitalize(),
        "status_category": item.status, "created_at": CREATED + timedelta(days=item.number),
        "completed_at": CREATED + timedelta(days=100) if item.status == "done" else None,
        "start_on": None, "target_on": item.target, "tracker_team_key": "PLAN", "team_id": item.team,
        "url": f"https://tracker.example/{item.number}",
    }  # fmt: skip


def _objective(plan: Plan, item: Item) -> dict[str, Any]:
    issues = [one for one in plan.below(item) if one.level == "issue"]
    return _shared(item) | {
        "objective_id": item.id, "level": item.level, "parent_id": item.parent and item.parent.id,
        "depth": len(item.line) - 1, "is_overdue": item.is_overdue, "owner": f"owner{item.number}",
        "owner_name": f"Owner of {item.number}",
        "child_count": sum(one.parent == item for one in plan.objectives), "issue_count": len(issues),
        "done_issue_count": sum(one.status == "done" for one in issues),
        "canceled_issue_count": sum(one.status == "canceled" for one in issues),
    } | work(counted_links(plan.facts, plan.reaching(item)))  # fmt: skip


def _issue(plan: Plan, item: Item) -> dict[str, Any]:
    figures = work(counted_links(plan.facts, [link for link in plan.links if link.item == item]))
    figures.pop("contributor_count")
    above = {level: item.nearest(level) for level in ("sub_objective", "objective")}
    return _shared(item) | {
        "issue_id": item.id, "repository_id": item.repository, "number": item.number,
        "is_bug": item.number % 2 == 1, "parent_id": item.parent and item.parent.id,
        **{f"{level}_id": one and one.id for level, one in above.items()},
        "assignee": f"login{item.number}", "assignee_name": f"Person {item.number}", "creator": "somebody",
        "updated_at": CREATED + timedelta(days=item.number % 3), "estimate": float(item.number),
        "labels": ["urgent"] if item.number % 2 else [], "history": history(item),
    } | figures  # fmt: skip


def history(item: Item) -> list[dict[str, Any]]:
    """Changes of status, newest first as some trackers give them, and one of another field."""
    steps = STATUSES[: item.number % len(STATUSES) + 1]
    changes = [
        {"field": "status", "at": CREATED + timedelta(days=day), "before": before.capitalize(),
         "after": after.capitalize(), "after_category": after, "actor": f"login{day}"}
        for day, (before, after) in enumerate(pairwise(["todo", *steps]))
    ]  # fmt: skip
    other = {
        "field": "owner",
        "at": CREATED,
        "before": None,
        "after": "x",
        "after_category": None,
        "actor": None,
    }
    return [*reversed(changes), other]


def counted_links(facts: Facts, links: Iterable[Link]) -> list[Link]:
    """Links of commits that count in totals."""
    return [
        link
        for link in links
        if link.commit.changes
        and facts.bot != link.commit.developer
        and facts.sandbox != link.commit.repository
    ]


def work(links: list[Link]) -> dict[str, Any]:
    """The figures of links that count."""
    days = [change.day for link in links for change in link.commit.changes]
    return {
        "etv_micro": sum(link.etv for link in links),
        "commits": len({link.commit.id for link in links}),
        "contributor_count": len({link.commit.developer for link in links}),
        "first_delivered_on": min(days, default=None),
        "last_delivered_on": max(days, default=None),
    }


def ai_cost(facts: Facts, spent: Mapping[str, Spent], links: Iterable[Link]) -> dict[str, int | None]:
    """The cost of AI tools of links that count, from that of commits, with its mean confidence."""
    shares = [_ai_cost_share(spent, link) for link in counted_links(facts, links)]
    known = [(cost, sure) for cost, sure in shares if cost is not None and sure is not None]
    whole = sum(cost for cost, _ in known)
    return {
        "ai_cost_micro": round(whole / 1000) if known else None,
        "ai_cost_confidence_micro": round(sum(cost * sure for cost, sure in known) / whole)
        if whole
        else None,
    }


def _ai_cost_share(spent: Mapping[str, Spent], link: Link) -> tuple[int | None, int | None]:
    """An issue's share of the cost of a commit, in billionths, and its confidence in millionths."""
    found = spent.get(link.commit.id)
    return (None, None) if found is None else ((found[0] + link.of - link.place) // link.of, found[1])


def costs_of_commits(facts: Facts) -> dict[str, Spent]:
    """The cost of AI tools by commit, in billionths, with its mean confidence in millionths."""
    found = {}
    for commit, links in linked_by_commit(facts).items():
        cost = sum(one.used.cost for one in links)
        found[commit] = cost * 1000, round(sum(one.used.cost * one.confidence for one in links) / cost)
    return found


def _link(facts: Facts, link: Link) -> dict[str, Any]:
    commit, item = link.commit, link.item
    above = {level: item.nearest(level) for level in ("sub_objective", "objective")}
    return {
        "commit_id": commit.id, "commit_sha": commit.sha, "repository_id": commit.repository,
        "developer_id": commit.developer, "team_id": facts.team_of_commit(commit),
        "delivered_at": commit.delivered_at, "delivered_on": commit.delivered_at and commit.delivered_at.date(),
        "is_bot": commit.developer == facts.bot, "is_sandbox": commit.repository == facts.sandbox,
        "is_counted": bool(counted_links(facts, [link])), "item_id": item.id, "item_key": item.key,
        "item_title": item.title, "item_type_name": item.level, "item_status_category": item.status,
        "item_url": f"https://tracker.example/{item.number}", "level": item.level, "found_in": link.found_in,
        "place": link.place, "issue_count": link.of, "etv_micro": link.etv,
        **{f"{level}_id": one and one.id for level, one in above.items()},
        **{f"{level}_title": one and one.title for level, one in above.items()},
    }  # fmt: skip


def _days(plan: Plan) -> Iterable[dict[str, Any]]:
    sums: dict[tuple[Any, ...], Counter[str]] = defaultdict(Counter)
    for link in plan.links:
        commit = link.commit
        place = commit.repository, commit.developer, plan.facts.team_of_commit(commit)
        for objective in (item for item in link.item.line if item.level != "issue"):
            for number, change in enumerate(commit.changes):
                sums[objective.id, change.day, *place, change.is_bot, change.is_sandbox] += Counter(
                    etv_micro=link.share(change), commits=number == 0
                )
    names = "objective_id", "delivered_on", "repository_id", "developer_id", "team_id", "is_bot", "is_sandbox"
    for key, measures in sums.items():
        yield dict(zip(names, key, strict=True)) | measures
