"""A small organization whose every number is known in Python: the oracle's side of the tests.

Keep out: how it is published (published_rows.py). Tests compare what the API answers with loops over these changes.
"""

import random
import uuid
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from functools import cached_property

ORGANIZATION = "0190d3b0-0000-7000-8000-000000000001"
AS_OF = datetime(2026, 11, 20, 6, tzinfo=UTC)
TODAY = AS_OF.date()
VERSION = "0.1.0"
CATEGORIES = ("features", "maintenance", "tests", "documentation", "fixes")
REFERENCE_PER_WEEK = 8_000_000
REFERENCE_WEEKS = 150.0
UNIT = 1_000_000


@dataclass(frozen=True)
class Change:
    """A counted file change of a delivered commit."""

    commit: str
    repository: str
    developer: str
    day: date
    category: str
    path: str
    novel: int
    comments: int
    ai: bool
    is_bot: bool
    is_sandbox: bool

    @property
    def is_aligned(self) -> bool:
        """Whether the commit belongs to an issue: two of three do."""
        return int(self.commit[-1], 16) % 3 > 0

    @property
    def roadmap_etv(self) -> int:
        """ETV that reaches an objective: of every other such commit a third, as if one of three issues did."""
        return self.etv // 3 if self.is_aligned and int(self.commit[-1], 16) % 2 else 0

    @property
    def line_points(self) -> int:
        return self.novel * 2 * UNIT + self.comments * 50_000

    @property
    def role_factor(self) -> int:
        return UNIT // 4 if self.category == "tests" else UNIT

    @property
    def points(self) -> int:
        return self.line_points * self.role_factor // UNIT

    @property
    def effort(self) -> int:
        return self.points // 58

    @property
    def multiplier(self) -> int:
        # Above 1 for every category, so that ETV is never effort by chance.
        return 1_200_000

    @property
    def etv(self) -> int:
        return self.effort * self.multiplier // UNIT


@dataclass(eq=False)
class Commit:
    """A commit, delivered or not."""

    id: str
    sha: str
    repository: str
    developer: str
    authored_at: datetime
    delivered_at: datetime | None
    subject: str
    ai: bool
    changes: list[Change] = field(default_factory=list)
    # A person who is named in the commit and has no share.
    named: str | None = None

    @property
    def etv(self) -> int:
        return sum(change.etv for change in self.changes)

    @property
    def is_misdated(self) -> bool:
        """Whether the clock was two days ahead when it was delivered."""
        return self.delivered_at is not None and int(self.sha[:4], 16) % 29 == 0

    @property
    def committed_at(self) -> datetime:
        return (
            self.delivered_at + timedelta(days=2)
            if self.delivered_at and self.is_misdated
            else self.authored_at
        )

    @property
    def generated(self) -> int:
        """New lines of a generated file that some commits have too."""
        return int(self.sha[:4], 16) % 5 * 30 if self.changes else 0

    @property
    def category(self) -> str | None:
        by_category: dict[str, int] = defaultdict(int)
        for change in self.changes:
            by_category[change.category] += change.etv
        return max(CATEGORIES, key=lambda name: by_category.get(name, -1)) if by_category else None


@dataclass(eq=False)
class Facts:
    """The organization. Nothing changes once it is made: what is computed of it is kept."""

    commits: list[Commit]
    repositories: dict[str, str]
    developers: dict[str, str]
    sandbox: str
    bot: str
    # By id: name, parent, and the developers who are in it itself.
    teams: dict[str, tuple[str, str | None, list[str]]] = field(default_factory=dict)
    # Developer, team, first and last day; empty: everybody was always where `teams` has them.
    memberships: list[tuple[str, str, date, date]] = field(default_factory=list)

    @cached_property
    def changes(self) -> list[Change]:
        return [change for commit in self.commits for change in commit.changes]

    @property
    def shown_twice(self) -> str:
        """The developer who has two addresses."""
        return next(iter(self.developers))

    @property
    def merged(self) -> tuple[str, str]:
        """A merged developer, and the id of the other one."""
        return list(self.developers)[2], found("developer", "somebody who is merged into the other")

    def burst_of(self, commit: Commit) -> str | None:
        """The import burst of a commit: all delivered commits of a developer without counted changes."""
        if commit.changes or commit.delivered_at is None:
            return None
        return found("import burst", commit.developer)

    def email(self, developer: str) -> str:
        """The address that a developer commits with."""
        return f"{self.developers[developer].lower()}@acme.example"

    def private_email(self, developer: str) -> str:
        """The other address of a developer with two."""
        return f"{self.developers[developer].lower()}@home.example"

    def people_of(self, team: str) -> set[str]:
        """Developers of a team and of all below it."""
        own = set(self.teams[team][2])
        below = [key for key, (_, parent, _) in self.teams.items() if parent == team]
        return own.union(*(self.people_of(key) for key in below))

    @cached_property
    def stretches(self) -> list[tuple[str, str, date, date]]:
        """Developer, team, first and last day of every membership."""
        return self.memberships or [
            (developer, key, date(1970, 1, 1), date(9999, 12, 31))
            for key, (_, _, own) in self.teams.items()
            for developer in own
        ]

    @cached_property
    def _stretches_of(self) -> dict[str, list[tuple[str, date, date]]]:
        found: dict[str, list[tuple[str, date, date]]] = defaultdict(list)
        for developer, team, start, end in self.stretches:
            found[developer].append((team, start, end))
        return dict(found)

    def team_on(self, developer: str, day: date) -> str | None:
        """The team of a developer on a day."""
        for team, start, end in self._stretches_of.get(developer, ()):
            if start <= day <= end:
                return team
        return None

    def team_of_commit(self, commit: "Commit") -> str | None:
        """The team in which the author was on the day of writing."""
        return self.team_on(commit.developer, commit.authored_at.date())

    def team_of_month(self, developer: str, month: date) -> str | None:
        """The team with the most working days of the month; of several, the last."""
        days = [month + timedelta(days=number) for number in range(31)]
        teams = [
            self.team_on(developer, day) for day in days if day.month == month.month and day.weekday() < 5
        ]
        named = [team for team in teams if team is not None]
        return max(reversed(named), key=named.count) if named else None

    def parts(self, commit: Commit) -> list[tuple[str | None, int, int, int]]:
        """The parts of a delivered commit by reason (None: counted): commits, files and new lines."""
        if commit.delivered_at is None:
            return []
        own = None if commit.changes else "NO_COUNTED_LINES"
        own = "BOT" if commit.developer == self.bot else own
        lines = sum(change.novel + change.comments for change in commit.changes)
        more = [("GENERATED" if own is None else own, 0, 1, commit.generated)] if commit.generated else []
        return [(own, 1, len(commit.changes), lines), *more]

    def and_above(self, team: str | None) -> list[str]:
        """A team and all teams above it."""
        return [] if team is None else [team, *self.and_above(self.teams[team][1])]


def found(kind: str, key: str) -> str:
    """Id of a repository, developer or commit, as ingestion derives it."""
    return str(uuid.uuid5(uuid.UUID(ORGANIZATION), f"{kind}:{key}"))


def make_facts(commits: int = 160, seed: int = 7) -> Facts:
    """Commits of three repositories (one a sandbox) and four developers (one a bot) over thirty weeks."""
    dice = random.Random(seed)
    repositories = {
        found("repository", f"https://git.example/acme/{name}"): f"acme/{name}"
        for name in ("web", "api", "play")
    }
    developers = {found("developer", name): name for name in ("Ada", "Grace", "Linus", "robot[bot]")}
    sandbox, bot = list(repositories)[2], list(developers)[3]
    made = []
    for number in range(commits):
        sha = f"{number:04x}" + f"{dice.getrandbits(144):036x}"
        repository, developer = dice.choice(list(repositories)), dice.choice(list(developers))
        day = TODAY - timedelta(days=dice.randrange(30 * 7))
        at = datetime.combine(day, time(dice.randrange(24), dice.randrange(60)), UTC)
        at = min(at, AS_OF)
        delivered = number % 10 != 3
        commit = Commit(
            found("commit", sha),
            sha,
            repository,
            developer,
            at - timedelta(hours=1),
            at if delivered else None,
            f"{dice.choice(['feat', 'fix', 'chore'])}: change number {number}",
            # Linus never uses AI, so that there is somebody with a dash.
            developers[developer] != "Linus" and dice.random() < 0.4,
        )
        if delivered and number % 15 != 4:
            commit.changes = [
                Change(
                    commit.id, repository, developer, at.date(), dice.choice(CATEGORIES), f"src/file_{file}.py",
                    dice.randrange(1, 40), dice.randrange(9), commit.ai, developer == bot, repository == sandbox,
                )
                for file in range(dice.randrange(1, 5))
            ]  # fmt: skip
        made.append(commit)
    ada, grace, linus, robot = developers
    whole, web, core, empty = (str(uuid.uuid5(uuid.UUID(ORGANIZATION), f"team:{n}")) for n in range(4))
    teams: dict[str, tuple[str, str | None, list[str]]] = {
        whole: ("Engineering", None, [robot]),
        web: ("Web", whole, [ada]),
        core: ("Core", whole, [grace, linus]),
        empty: ("New", None, []),
    }
    return Facts(made, repositories, developers, sandbox, bot, teams)


def weekly_etv(facts: Facts, kind: str, key: str | None) -> dict[date, int]:
    """ETV per ISO week (its Monday) of an entity, zero where it had none."""
    weeks: dict[date, int] = {}
    monday = TODAY - timedelta(days=TODAY.weekday())
    for number in range(31):
        weeks[monday - timedelta(weeks=number)] = 0
    for commit, change in ((one, change) for one in facts.commits for change in one.changes):
        if kind == "repository":
            matches = change.repository == key and not change.is_bot
        elif kind == "team":
            above = facts.and_above(facts.team_of_commit(commit))
            matches = key in above and not (change.is_bot or change.is_sandbox)
        else:
            matches = not change.is_sandbox and (change.developer == key if key else not change.is_bot)
        if matches:
            weeks[change.day - timedelta(days=change.day.weekday())] += change.etv
    return weeks


def performance_of(etv: int, weeks: float) -> float | None:
    """The definition, with the constant reference of these facts."""
    if etv == 0:
        return None
    ratio = etv / weeks / REFERENCE_PER_WEEK
    return 100 * ratio / (1 + ratio)
