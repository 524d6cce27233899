"""Decisions of people about the invented organization: excluded commits, and who is who.

One build has them all, with those of decided_capex.py, because each alone would take a build of every model.
"""

from __future__ import annotations

from datetime import date

from tests.dbt.invented import invented_lake
from tests.dbt.invented.invented_history import PEOPLE, Repository
from tests.dbt.invented.invented_identities import Decisions, Person, developer_id
from tests.dbt.naive import naive_people
from tests.dbt.naive.naive_scores import Commit, Scores

ADA, ADA_AT_HOME, GRACE, SHORT_GRACE, DEVIN, ROOT = (PEOPLE[n] for n in (0, 1, 3, 4, 5, 6))
GRACES_ID, DEVINS_ID, ROOTS_ID = (developer_id(key) for key in (GRACE[1], DEVIN[1], "root@localhost root"))
JOINED, LEFT = date(2025, 1, 15), date(2026, 3, 10)
IDENTITIES = Decisions(
    merges={"two": [GRACES_ID, DEVINS_ID]},
    splits={"short": [SHORT_GRACE]},
    left=[GRACE],
    attributes={
        # Set before the merge, under both ids.
        DEVINS_ID: {"joining_date": JOINED.isoformat(), "leaving_date": LEFT.isoformat(), "role": "Tester"},
        GRACES_ID: {"name": "Admiral Hopper", "primary_email": DEVIN[1], "seniority": "SENIOR"},
        ROOTS_ID: {"kind": "bot"},
        developer_id("nobody@example.net"): {"role": "Ghost"},
    },
)


def who_is_who(people: list[Person]) -> dict[Person, int]:
    found = naive_people.groups(people)
    return naive_people.regrouped(found, apart=[{SHORT_GRACE}], together=[{GRACE, DEVIN}])


def exclusions(naive: Scores) -> dict[str, bool]:
    """Exclude every fifth counted commit, and count some commits that rules exclude."""
    order = sorted(naive.commits)
    counted = [sha for sha in order if any(file.etv for file in naive.commits[sha].files.values())]
    ruled_out = [
        sha for sha in order if _reasons(naive.commits[sha]) and _reasons(naive.commits[sha]) <= {"IMPORT"}
    ]
    repeated = [sha for sha in order if "DUPLICATE" in _reasons(naive.commits[sha])]
    of_bots = [sha for sha in order if _reasons(naive.commits[sha]) == {"BOT"}]
    assert len(counted) > 100
    assert ruled_out
    assert repeated
    assert of_bots
    kept = [*ruled_out[:2], *repeated[:1]]
    out = [sha for sha in [*counted[::5], *of_bots[:2]] if sha not in kept]
    return {sha: sha in out for sha in [*out, *kept]}


def scores(repositories: list[Repository], decisions: dict[str, bool]) -> Scores:
    """The expected score of every file under all decisions."""
    tables = invented_lake.gathered(repositories, decisions)
    return Scores(tables, invented_lake.TIME_ZONE, who_is_who, known_robots=[ROOT])


def _reasons(commit: Commit) -> set[str | None]:
    return {file.reason for file in commit.files.values()}
