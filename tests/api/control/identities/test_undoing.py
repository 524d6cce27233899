"""After any sequence of decisions and their undos, the warehouse gets the same rows as before.

Figures depend only on the facts and these rows, so equal rows give equal figures.
"""

from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from api.control.capex import policies as capex_policies
from api.control.capex.policies import Rule
from api.control.categories import CATEGORIES
from api.control.commits.exclusions import ExclusionReason, NamedCommit, exclude, include
from api.control.commits.import_bursts import NamedBurst, include_burst, undo_burst
from api.control.errors import ControlError
from api.control.list_pages import ListQuery
from api.control.operations.operations import list_operations
from api.control.organizations import organizations
from api.control.plans import plans
from api.control.principals import OPERATOR
from api.control.repositories import repositories
from api.control.repositories.settings import SettingsChange
from api.control.store import ControlStore
from api.control.teams import memberships as team_memberships
from api.control.teams import teams
from tests.suite.tiers import fewer

pytestmark = pytest.mark.both_databases

Undo = Callable[[], None]
START = date(2026, 1, 1)
BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)


class Office:
    """An organization with two teams and two repositories, and steps that can undo themselves."""

    def __init__(self, store: ControlStore) -> None:
        self.store = store
        self.id = store.ensure_organization("Acme").id
        self.teams = [teams.create_team(store, OPERATOR, self.id, name).id for name in ("One", "Two")]
        for repository in ("r1", "r2"):
            store.upsert_repository(self.id, repository, name=repository, origin=f"host/{repository}")

    @property
    def rows(self) -> dict[str, list[dict[str, Any]]]:
        return self.store.snapshot(self.id)

    def rename(self, one: int, other: int) -> Undo:
        team = teams.team(self.store, self.id, self.teams[one % len(self.teams)])
        teams.change_team(self.store, OPERATOR, self.id, team.id, name=f"Name {other}")
        return lambda: void(teams.change_team(self.store, OPERATOR, self.id, team.id, name=team.name))

    def move(self, one: int, other: int) -> Undo:
        team = teams.team(self.store, self.id, self.teams[one % len(self.teams)])
        parent = ([None, *self.teams])[other % (len(self.teams) + 1)]
        teams.change_team(self.store, OPERATOR, self.id, team.id, parent_id=parent)
        return lambda: void(
            teams.change_team(self.store, OPERATOR, self.id, team.id, parent_id=team.parent_id)
        )

    def create(self, one: int, other: int) -> Undo:
        made = teams.create_team(self.store, OPERATOR, self.id, f"New {one}", self.teams[other % 2])
        self.teams.append(made.id)

        def undo() -> None:
            teams.delete_team(self.store, OPERATOR, self.id, made.id)
            self.teams.remove(made.id)

        return undo

    def join(self, one: int, other: int) -> Undo:
        before = self._memberships()
        team, day = self.teams[one % len(self.teams)], START + timedelta(days=10 * other)
        made = team_memberships.add_membership(self.store, OPERATOR, self.id, team, f"d{one % 2}", day)

        def undo() -> None:
            team_memberships.remove_membership(self.store, OPERATOR, self.id, made.id)
            for key, end in before.items():
                team_memberships.change_membership(self.store, OPERATOR, self.id, key, end_on=end)

        return undo

    def leave_out(self, one: int, other: int) -> Undo:
        commit = NamedCommit(f"c{one}", str(one) * 40, "r1", "Import", None)
        known = {row["commit_id"] for row in self.rows["commit_exclusions"]}
        if commit.id in known:
            raise NoSuchStep
        reasons = [ExclusionReason.IMPORT, ExclusionReason.OTHER]
        exclude(self.store, OPERATOR, self.id, commit, reasons[other % 2], "A note.")
        return lambda: void(include(self.store, OPERATOR, self.id, commit))

    def count_import(self, one: int, other: int) -> Undo:
        """The burst and the next one share a commit, as after a change of the rule."""
        numbers = range(10 * one, 10 * one + 11 + other)
        commits = [NamedCommit(f"i{n}", str(n), "r1", "Import", "IMPORT") for n in numbers]
        known = {row["commit_id"] for row in self.rows["commit_exclusions"]}
        if known.intersection(commit.id for commit in commits):
            raise NoSuchStep
        burst = NamedBurst(f"b{one}", commits)
        include_burst(self.store, OPERATOR, self.id, burst, "Own work.")
        return lambda: void(undo_burst(self.store, OPERATOR, self.id, burst))

    def decide_policy(self, one: int, other: int) -> Undo:
        month = date(2026, 1 + one, 1)
        rules = [Rule(category) for category in CATEGORIES[:other]]
        made = capex_policies.create_policy(self.store, OPERATOR, self.id, month, rules, "A step.")
        return lambda: void(capex_policies.withdraw_policy(self.store, OPERATOR, self.id, made.id))

    def set_calendar(self, one: int, other: int) -> Undo:
        before = organizations.settings(self.store, self.id)
        changes = {
            "working_weekdays": "1234567"[: one + 1],
            "hours_per_day_hundredths": 100 * (other + 1),
            "time_zone": ["UTC", "Asia/Tokyo"][one % 2],
            "holidays": [{"date": f"2026-12-{day:02}", "name": "Rest"} for day in range(1, other + 1)],
        }
        organizations.change_settings(self.store, OPERATOR, self.id, changes)
        earlier = {name: getattr(before, name) for name in changes}
        return lambda: void(organizations.change_settings(self.store, OPERATOR, self.id, earlier))

    def flag(self, one: int, other: int) -> Undo:
        key = f"r{1 + one % 2}"
        before = repositories.managed_repository(self.store, self.id, key)

        def change(**values: Any) -> None:
            repositories.change_repository(self.store, OPERATOR, self.id, key, SettingsChange(**values))

        change(is_sandbox=bool(other & 1), is_excluded=bool(other & 2), analysis_start_at=BEGINNING)
        return lambda: change(
            is_sandbox=before.is_sandbox,
            is_excluded=before.is_excluded,
            analysis_start_at=before.analysis_start_at,
        )

    def _memberships(self) -> dict[str, date | None]:
        found = team_memberships.list_memberships(self.store, self.id, ListQuery(1000))
        return {one.id: one.end_on for one in found.items}


class NoSuchStep(ControlError):
    """The step is not possible now."""


def void(_: object) -> None:
    """Ignore the result."""


STEPS = ("rename", "move", "create", "join", "leave_out", "decide_policy", "set_calendar", "flag")


@settings(
    max_examples=fewer(25),
    deadline=None,
    database=None,
    # Each example makes dozens of transactions: looking for a smaller failing one would take minutes.
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 5), st.integers(0, 5)), max_size=15),
    st.integers(0, 15),
)
def test_undone_steps_leave_the_rows_for_the_warehouse_unchanged(
    store: ControlStore, steps: list[tuple[str, int, int]], kept: int
) -> None:
    office = Office(store)
    states: list[tuple[dict[str, Any], Undo]] = []
    for name, one, other in steps:
        before = office.rows
        try:
            undo = getattr(office, name)(one, other)
        except ControlError:
            assert office.rows == before
        else:
            states.append((before, undo))
    # Some stay: taking back the later ones must not touch what they decided.
    while len(states) > min(kept, len(states) // 2):
        before, undo = states.pop()
        undo()
        assert office.rows == before
    found = list_operations(store, office.id, ListQuery(1000)).items
    assert [one.position for one in found] == list(range(len(found), 0, -1))
    assert plans.plan(store, office.id).plan == "unlimited"
