"""Levels of a tracker's items, and the teams that own its objectives."""

import pytest

from api.control.connections.connections import remove_connection
from api.control.connections.levels import Level, levels, preview_levels, put_levels
from api.control.connections.sync_status import note_contents
from api.control.connections.tracker_teams import put_tracker_teams, tracker_teams
from api.control.errors import InvalidSetting, NotPossible
from api.control.operations import operations
from api.control.principals import OPERATOR
from api.control.store import ControlStore
from api.control.teams.teams import create_team, delete_team
from tests.api.control.connections.places import connect

pytestmark = pytest.mark.both_databases

DEFAULTS = {"portfolio": "objective", "project": "sub_objective", "task": "issue"}


@pytest.fixture
def acme(store: ControlStore) -> str:
    return store.ensure_organization("Acme").id


@pytest.fixture
def tracker(store: ControlStore, acme: str) -> str:
    made = connect(store, acme, kind="ASANA", category="trackers", default_levels=DEFAULTS)
    counts = {"portfolio": 2, "project": 10, "task": 300, "approval": 5}
    note_contents(store, acme, made, item_counts=counts, team_names={"1": "Web", "2": "Core"})
    return made


def in_snapshot(store: ControlStore, acme: str) -> dict[str, str]:
    return {row["item_kind"]: row["level"] for row in store.snapshot(acme)["connection_levels"]}


def test_the_defaults_of_the_provider_apply_first(store: ControlStore, acme: str, tracker: str) -> None:
    found = {one.item_kind: (one.level.value, one.items) for one in levels(store, acme, tracker).kinds}
    assert found == {
        "portfolio": ("objective", 2),
        "project": ("sub_objective", 10),
        "task": ("issue", 300),
        "approval": ("issue", 5),
    }
    assert in_snapshot(store, acme) == DEFAULTS


def test_defaults_of_a_newer_release_replace_the_older_ones_but_no_edit(
    store: ControlStore, acme: str, tracker: str
) -> None:
    put_levels(store, OPERATOR, acme, tracker, {"project": Level.IGNORED})
    newer = {"portfolio": "objective", "goal": "objective", "project": "objective"}
    note_contents(store, acme, tracker, item_counts={}, team_names={}, default_levels=newer)
    assert in_snapshot(store, acme) == newer | {"project": "ignored"}


def test_a_preview_counts_what_would_move_and_changes_nothing(
    store: ControlStore, acme: str, tracker: str
) -> None:
    wanted = {"project": Level.OBJECTIVE, "approval": Level.IGNORED}
    changes, at = preview_levels(store, acme, tracker, wanted)
    assert {one.level.value: (one.before, one.after, one.leaving, one.joining) for one in changes} == {
        "objective": (2, 12, 0, 10),
        "sub_objective": (10, 0, 10, 0),
        "issue": (305, 300, 5, 0),
        "ignored": (0, 5, 0, 5),
    }
    assert at is not None
    assert in_snapshot(store, acme) == DEFAULTS


def test_edited_levels_reach_the_snapshot_and_restate(store: ControlStore, acme: str, tracker: str) -> None:
    before = len(operations.pending(store, acme))
    put_levels(store, OPERATOR, acme, tracker, {"project": Level.IGNORED})
    assert in_snapshot(store, acme) == DEFAULTS | {"project": "ignored"}
    put_levels(store, OPERATOR, acme, tracker, {"project": Level.IGNORED})
    assert [one.action for one in operations.pending(store, acme)][before:] == ["connections.updateLevels"]
    assert operations.due_since(store, acme) is not None
    put_levels(store, OPERATOR, acme, tracker, {})
    assert in_snapshot(store, acme) == DEFAULTS


def test_an_unknown_kind_is_refused(store: ControlStore, acme: str, tracker: str) -> None:
    for attempt in (
        lambda: put_levels(store, OPERATOR, acme, tracker, {"goal": Level.ISSUE}),
        lambda: preview_levels(store, acme, tracker, {"goal": Level.ISSUE}),
    ):
        with pytest.raises(InvalidSetting, match="no kind of item 'goal'; it has approval, portfolio"):
            attempt()


def test_a_git_host_has_no_levels(store: ControlStore, acme: str) -> None:
    host = connect(store, acme)
    with pytest.raises(NotPossible, match="no issue tracker"):
        levels(store, acme, host)
    with pytest.raises(NotPossible, match="no issue tracker"):
        put_tracker_teams(store, OPERATOR, acme, host, {})


def test_teams_are_mapped_by_key_until_the_team_is_deleted(
    store: ControlStore, acme: str, tracker: str
) -> None:
    team = create_team(store, OPERATOR, acme, "Frontend")
    put_tracker_teams(store, OPERATOR, acme, tracker, {"1": team.id, "not-synced-yet": team.id})
    assert [(one.team_key, one.team_name, one.name) for one in tracker_teams(store, acme, tracker)] == [
        ("1", "Web", "Frontend"), ("2", "Core", None), ("not-synced-yet", None, "Frontend"),
    ]  # fmt: skip
    assert [row["team_key"] for row in store.snapshot(acme)["tracker_teams"]] == ["1", "not-synced-yet"]
    assert [one.action for one in operations.pending(store, acme)][-1] == "connections.updateTeams"
    delete_team(store, OPERATOR, acme, team.id)
    assert store.snapshot(acme)["tracker_teams"] == []


def test_a_team_of_another_organization_is_refused(store: ControlStore, acme: str, tracker: str) -> None:
    other = create_team(store, OPERATOR, store.ensure_organization("Other").id, "Web")
    with pytest.raises(InvalidSetting, match="no team"):
        put_tracker_teams(store, OPERATOR, acme, tracker, {"1": other.id})


def test_a_removed_tracker_is_in_no_table_of_the_snapshot(
    store: ControlStore, acme: str, tracker: str
) -> None:
    team = create_team(store, OPERATOR, acme, "Frontend")
    put_tracker_teams(store, OPERATOR, acme, tracker, {"1": team.id})
    remove_connection(store, OPERATOR, acme, tracker)
    snapshot = store.snapshot(acme)
    assert [snapshot[name] for name in ("connections", "connection_levels", "tracker_teams")] == [[], [], []]


def test_a_preview_gives_a_kind_that_is_left_out_its_default_again(
    store: ControlStore, acme: str, tracker: str
) -> None:
    put_levels(store, OPERATOR, acme, tracker, {"project": Level.IGNORED})
    changes, _ = preview_levels(store, acme, tracker, {})
    moved = {one.level.value: (one.before, one.after) for one in changes}
    assert moved["ignored"] == (10, 0)
    assert moved["sub_objective"] == (0, 10)
    put_levels(store, OPERATOR, acme, tracker, {})
    counted = {
        one.level.value: (one.after, one.leaving) for one in preview_levels(store, acme, tracker, {})[0]
    }
    assert counted == {name: (after, 0) for name, (_, after) in moved.items()}
