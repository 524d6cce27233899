"""An organization with people who move between teams: the oracle for row access of leads, members and groups."""

import random
import uuid
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta

from tests.api.published_facts import (
    AS_OF,
    CATEGORIES,
    ORGANIZATION,
    TODAY,
    Change,
    Commit,
    Facts,
    found,
)

NAMES = (
    "Ada", "Grace", "Linus", "Barbara", "Edsger", "Donald", "Margaret", "Alan", "Radia", "Ken", "Frances", "robot[bot]",
)  # fmt: skip
REPOSITORIES = ("web", "api", "ledger", "infra", "lonely", "play")
# Team → the one above it.
TREE = {
    "Engineering": None, "Product": "Engineering", "Web": "Product", "Mobile": "Product", "Platform": "Engineering",
    "Research": None, "Empty": None,
}  # fmt: skip
BEGIN, END = date(2020, 1, 1), date(9999, 12, 31)
MOVED = date(2026, 8, 16)
# Person → where from which day on; None for no team.
WHERE: dict[str, list[tuple[date, str | None]]] = {
    "Ada": [(BEGIN, "Web")],
    "Grace": [(BEGIN, "Web"), (MOVED, "Platform")],
    "Linus": [(BEGIN, "Mobile"), (MOVED, "Web")],
    "Barbara": [(BEGIN, "Mobile")],
    "Edsger": [(BEGIN, "Product")],
    "Donald": [(BEGIN, None), (MOVED, "Product")],
    "Margaret": [(BEGIN, "Platform")],
    "Alan": [(BEGIN, "Platform"), (MOVED, None)],
    "Radia": [(BEGIN, "Research"), (MOVED, "Mobile")],
    "Ken": [(BEGIN, "Research")],
    "Frances": [(BEGIN, None)],
    "robot[bot]": [(BEGIN, "Web")],
}


def team_id(name: str) -> str:
    return str(uuid.uuid5(uuid.UUID(ORGANIZATION), f"team {name}"))


def address(name: str) -> str:
    return f"{name.lower()}@acme.example"


def developer_id(name: str) -> str:
    """The id that the analysis derives from the first used address."""
    return found("developer", address(name))


def make_scoped_facts(commits: int = 700, seed: int = 3) -> Facts:
    """Commits over thirty weeks of people who moved in the middle of a month."""
    dice = random.Random(seed)
    repositories = {
        found("repository", f"https://git.example/acme/{name}"): f"acme/{name}" for name in REPOSITORIES
    }
    by_name = {name.removeprefix("acme/"): key for key, name in repositories.items()}
    developers = {developer_id(name): name for name in NAMES}
    sandbox, bot = by_name["play"], developer_id("robot[bot]")
    made = []
    for number in range(commits):
        sha = f"{number:04x}" + f"{dice.getrandbits(144):036x}"
        name = dice.choice(NAMES)
        repository = by_name[dice.choice(("web", "api", "ledger", "infra", "play"))]
        if name == "Ken" and dice.random() < 0.3:
            repository = by_name["lonely"]
        developer = developer_id(name)
        day = TODAY - timedelta(days=dice.randrange(30 * 7))
        at = min(datetime.combine(day, time(dice.randrange(24), dice.randrange(60)), UTC), AS_OF)
        delivered = number % 10 != 3
        # Some wait for days until they are delivered, perhaps over a move.
        authored = at - timedelta(hours=1, days=dice.choice((0, 0, 0, 2, 9)))
        ai = name != "Linus" and dice.random() < 0.4
        commit = Commit(
            found("commit", sha), sha, repository, developer, authored, at if delivered else None,
            f"{dice.choice(['feat', 'fix', 'chore'])}: by {name} number {number}", ai,
        )  # fmt: skip
        if delivered and number % 15 != 4:
            commit.changes = [
                Change(
                    commit.id, repository, developer, at.date(), dice.choice(CATEGORIES), f"src/of_{name}_{file}.py",
                    dice.randrange(1, 40), dice.randrange(9), ai, developer == bot, repository == sandbox,
                )
                for file in range(dice.randrange(1, 5))
            ]  # fmt: skip
        if number % 4 == 0 and name != "robot[bot]":
            commit.named = dice.choice([key for key in developers if key not in (developer, bot)])
        made.append(commit)
    memberships = []
    for name, stretches in WHERE.items():
        ends = [start - timedelta(days=1) for start, _ in stretches[1:]] + [END]
        memberships += [
            (developer_id(name), team_id(team), start, end)
            for (start, team), end in zip(stretches, ends, strict=True)
            if team is not None
        ]
    teams = {
        team_id(name): (
            name,
            team_id(parent) if parent else None,
            [d for d, team, start, end in memberships if team == team_id(name) and start <= TODAY <= end],
        )
        for name, parent in TREE.items()
    }
    return Facts(made, repositories, developers, sandbox, bot, teams, memberships)


def below(facts: Facts, *names: str) -> set[str]:
    """Ids of these teams and of all below them."""
    wanted = {team_id(name) for name in names}
    return {key for key in facts.teams if wanted & set(facts.and_above(key))}


def restricted(facts: Facts, keep: Callable[[Commit], bool]) -> list[Commit]:
    """The commits of a part of the organization."""
    return [commit for commit in facts.commits if keep(commit)]
