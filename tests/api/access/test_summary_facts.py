"""Facts of summaries: a lead reads those of led teams, and a small group those of enough people."""

from __future__ import annotations

from typing import cast

import duckdb
import pytest

from api.access.row_access import RowAccess
from api.control.visibility import LedTeam, Visibility
from api.snapshot.build import Build
from tests.api.access.test_declared_access import NoTeams
from tests.api.published_facts import ORGANIZATION

LED, OTHER = "01920000-0000-7000-8000-00000000000a", "01920000-0000-7000-8000-00000000000b"
ROWS = (
    ("ORGANIZATION", ORGANIZATION, 9, 9),
    ("REPOSITORY", LED, 9, 9),
    ("TEAM", LED, 2, 2),
    ("TEAM", LED, None, None),
    ("TEAM", OTHER, 3, 3),
)


@pytest.mark.parametrize(
    ("access", "seen"),
    [
        (RowAccess(ORGANIZATION), {0, 1, 2, 3, 4}),
        (RowAccess(ORGANIZATION, teams=(LedTeam(LED, None),)), {2, 3}),
        (RowAccess(ORGANIZATION, teams=()), set()),
        (RowAccess(ORGANIZATION, own="anybody"), set()),
        (RowAccess.of(ORGANIZATION, Visibility(minimum_group_size=3)), {0, 1, 3, 4}),
        (RowAccess(ORGANIZATION, teams=(LedTeam(LED, None),), minimum_group_size=3), {3}),
    ],
)
def test_a_caller_sees_the_facts_of_their_scopes(access: RowAccess, seen: set[int]) -> None:
    with duckdb.connect() as connection:
        connection.execute(
            "create table summary_facts (scope_kind varchar, scope_id varchar, people integer, "
            "usual_people integer, low_micro bigint default 1, high_micro bigint default 2)"
        )
        connection.executemany(
            "insert into summary_facts (scope_kind, scope_id, people, usual_people) values (?, ?, ?, ?)", ROWS
        )
        # A usual range of few people is that of one of the weeks before.
        connection.execute("update summary_facts set usual_people = 1 where scope_kind = 'ORGANIZATION'")
        table = access.table(cast(Build, NoTeams()), "summary_facts")
        found = connection.execute(f"select scope_kind, scope_id, people, low_micro from {table}").fetchall()
    assert sorted((row[:3] for row in found), key=str) == sorted(
        (ROWS[number][:3] for number in seen), key=str
    )
    for kind, _, people, low in found:
        shown = access.minimum_group_size <= (1 if kind == "ORGANIZATION" else people or 0)
        assert (low is not None) == (shown or access.minimum_group_size == 1)
