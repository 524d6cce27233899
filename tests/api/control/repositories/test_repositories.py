"""Administration of repositories: bulk adding, lists, and the runs that each change requests."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from api.control import audit
from api.control.batches import write_each
from api.control.changes import UNCHANGED
from api.control.errors import AlreadyExists, InvalidSetting, NotFound, NotPossible
from api.control.list_pages import ListQuery
from api.control.models import Repository
from api.control.operations import operations
from api.control.principals import OPERATOR
from api.control.repositories import removals, sync_status
from api.control.repositories.repositories import (
    Health,
    ManagedRepository,
    NewRepository,
    RepositoryState,
    add_repository,
    change_repository,
    list_repositories,
    managed_repository,
    state_counts,
)
from api.control.repositories.settings import Settings, SettingsChange
from api.control.store import ControlStore, open_store

pytestmark = pytest.mark.both_databases

ORGANIZATION = "0190d3b0-0000-7000-8000-0000000000aa"


@pytest.fixture
def store(tmp_path: Path) -> ControlStore:
    store = open_store(tmp_path)
    store.ensure_organization("Acme", organization_id=ORGANIZATION, slug="acme")
    return store


def new(name: str, **settings: Any) -> NewRepository:
    chosen = replace(Settings(name), **settings)
    return NewRepository(f"id-{name}", f"git.example/{name}", f"https://git.example/{name}", chosen)


def add_each(
    store: ControlStore, wanted: Sequence[NewRepository | Exception]
) -> list[ManagedRepository | Exception]:
    return write_each(wanted, lambda one: add_repository(store, OPERATOR, ORGANIZATION, one))


def add(store: ControlStore, name: str, **settings: object) -> ManagedRepository:
    return add_repository(store, OPERATOR, ORGANIZATION, new(name, **settings))


def change(store: ControlStore, which: str, /, **values: Any) -> ManagedRepository:
    return change_repository(
        store, OPERATOR, ORGANIZATION, f"id-{which}", SettingsChange(**values)
    )  # fmt: skip


def names(store: ControlStore, state: RepositoryState, search: str = "") -> list[str]:
    found = list_repositories(store, ORGANIZATION, ListQuery(50), state=state, search=search)
    assert found.total == len(found.items)
    return [one.name for one in found.items]


def asked_of_runs(store: ControlStore) -> list[tuple[str, str | None]]:
    return [(one.action, one.repository_id) for one in operations.pending(store, ORGANIZATION)]


def test_each_of_many_is_added_or_refused_on_its_own(store: ControlStore) -> None:
    add(store, "here")
    gone = add(store, "going")
    removals.remove(store, ORGANIZATION, gone.id)
    refused = InvalidSetting("address", "no")
    outcomes = add_each(
        store,
        [
            new("one"),
            refused,
            new("here"),
            new("one"),
            new("going"),
            new("two", tags=("x" * 65,)),
            new("three"),
        ],
    )
    kinds = [type(outcome) for outcome in outcomes]
    assert kinds == [
        ManagedRepository,
        InvalidSetting,
        AlreadyExists,
        AlreadyExists,
        NotPossible,
        InvalidSetting,
        ManagedRepository,
    ]
    assert "'here'" in str(outcomes[2])
    assert names(store, RepositoryState.ALL) == ["here", "one", "three"]
    wanted = [one for one in asked_of_runs(store) if one[0] == "repositories.create"]
    assert wanted == [("repositories.create", f"id-{name}") for name in ("here", "one", "three")]


def test_a_value_from_an_earlier_release_is_checked_only_when_it_changes(store: ControlStore) -> None:
    add(store, "web")
    with store.session() as session:
        row = session.get_one(Repository, (ORGANIZATION, "id-web"))
        row.name, row.chosen_branch, row.tags = "we\u00adb", "my branch", ["a\u200bb", "x"]
    assert change(store, "web", is_excluded=True).is_excluded
    assert change(store, "web", is_stopped=True, chosen_branch="my branch", name="we\u00adb").is_stopped
    tags = change(store, "web", tags=("y", "a\u200bb")).tags
    assert tags == ("a\u200bb", "y")
    for name, value in (("name", "w\u00adeb"), ("chosen_branch", "your branch"), ("tags", ("a\u200b",))):
        with pytest.raises(InvalidSetting):
            change(store, "web", **{name: value})
    kept = managed_repository(store, ORGANIZATION, "id-web")
    assert (kept.name, kept.chosen_branch, kept.tags) == ("we\u00adb", "my branch", tags)


def test_each_list_has_its_repositories_and_the_counts_are_theirs(store: ControlStore) -> None:
    for name in ("a", "b", "c", "d", "e"):
        add(store, name)
    change(store, "b", is_disabled=True)
    change(store, "c", is_sandbox=True)
    sync_status.note_failure(store, ORGANIZATION, "id-d", "no such repository")
    sync_status.note_failure(store, ORGANIZATION, "id-b", "no such repository")
    change(store, "e", is_stopped=True)
    expected = {
        RepositoryState.ALL: ["a", "b", "d", "e"],
        RepositoryState.ACTIVE: ["a", "d", "e"],
        RepositoryState.DISABLED: ["b"],
        RepositoryState.NEEDS_ATTENTION: ["d", "e"],
        RepositoryState.SANDBOX: ["c"],
    }
    assert {state: names(store, state) for state in RepositoryState} == expected
    counts = {state: len(found) for state, found in expected.items()}
    assert state_counts(store, ORGANIZATION) == counts
    assert names(store, RepositoryState.ALL, "EXAMPLE/a") == ["a"]
    assert names(store, RepositoryState.ALL, "%") == []
    add(store, "Übersicht")
    assert names(store, RepositoryState.ALL, "Über SICHT") == ["Übersicht"]
    assert names(store, RepositoryState.ALL, "Über zz") == []
    removals.remove(store, ORGANIZATION, "id-Übersicht")
    removals.remove(store, ORGANIZATION, "id-a")
    assert names(store, RepositoryState.ALL) == ["b", "d", "e"]
    with pytest.raises(NotFound):
        managed_repository(store, ORGANIZATION, "id-a")
    with pytest.raises(NotFound):
        change(store, "a", is_disabled=True)


def test_health_is_that_of_the_last_try(store: ControlStore) -> None:
    assert add(store, "a").health is Health.PENDING
    sync_status.note_failure(store, ORGANIZATION, "id-a", "the host failed")
    failed = managed_repository(store, ORGANIZATION, "id-a")
    assert (failed.health, failed.failure, failed.commit_total) == (Health.FAILING, "the host failed", None)
    sync_status.note_success(store, ORGANIZATION, "id-a", 42)
    read = managed_repository(store, ORGANIZATION, "id-a")
    assert (read.health, read.failure, read.commit_total) == (Health.HEALTHY, None, 42)
    assert read.analyzed_at is not None


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"is_sandbox": True}, "restates"),
        ({"is_excluded": True}, "restates"),
        ({"analysis_start_at": datetime(2026, 1, 1, tzinfo=UTC)}, "restates"),
        ({"chosen_branch": "develop"}, "reads"),
        ({"is_sandbox": True, "chosen_branch": "develop"}, "reads"),
        ({"tags": ("b", "a", "b")}, ""),
        ({"name": "Other"}, ""),
        ({"is_disabled": True}, ""),
        ({"is_sandbox": False}, ""),
        ({"is_disabled": True, "chosen_branch": "develop"}, ""),
    ],
)
def test_a_change_requests_the_runs_that_figures_need(
    store: ControlStore, values: dict[str, object], expected: str
) -> None:
    add(store, "a")
    before = len(asked_of_runs(store))
    change(store, "a", **values)
    asked = [repository for action, repository in asked_of_runs(store) if action == "repositories.update"]
    if values.get("is_disabled"):
        # What waited for it is given up.
        assert asked_of_runs(store) == []
        return
    assert len(asked_of_runs(store)) == before + len(asked)
    assert asked == {"restates": [None], "reads": ["id-a"], "": []}[expected]


def test_enabling_and_any_edit_of_a_stopped_one_have_it_read_again(store: ControlStore) -> None:
    add(store, "a")
    change(store, "a", is_disabled=True)
    assert sync_status.waiting(store, 10) == []
    assert not change(store, "a", is_disabled=False).is_disabled
    assert [one.repository_id for one in sync_status.waiting(store, 10)] == ["id-a"]
    sync_status.answer(store, {one.operation_id: None for one in sync_status.waiting(store, 10)})
    change(store, "a", is_stopped=True)
    assert sync_status.waiting(store, 10) == []
    assert change(store, "a", tags=("backend",)).is_stopped is False
    assert [one.repository_id for one in sync_status.waiting(store, 10)] == ["id-a"]


def test_several_changes_succeed_or_fail_together(store: ControlStore) -> None:
    add(store, "a")
    for wrong in (
        {"name": ""},
        {"chosen_branch": " "},
        {"tags": ("",)},
        {"tags": tuple(map(str, range(51)))},
    ):
        with pytest.raises(InvalidSetting):
            change(store, "a", is_sandbox=True, **wrong)
    settings = managed_repository(store, ORGANIZATION, "id-a")
    assert (settings.is_sandbox, settings.name) == (False, "a")
    kept = change(store, "a", tags=("b", "a", " b "), name=UNCHANGED)
    assert kept.tags == ("a", "b")


def test_an_operation_is_answered_by_any_run_that_begins_after_it(store: ControlStore) -> None:
    add(store, "a")
    begun = sync_status.begin(store, ORGANIZATION, "id-a")
    change(store, "a", chosen_branch="develop")
    sync_status.answer(store, {one.operation_id: None for one in begun})
    # The second came while the run was reading.
    [left] = sync_status.waiting(store, 10)
    assert left.operation_id != begun[0].operation_id
    sync_status.refuse(store, [left.operation_id], "the host failed")
    assert sync_status.waiting(store, 10) == []
    assert [one.operation_id for one in sync_status.begin(store, ORGANIZATION, "id-a")] == [left.operation_id]
    states = {one.id: one.state for one in operations.pending(store, ORGANIZATION)}
    assert states[left.operation_id] == "PENDING"


def test_a_removed_repository_ends_the_changes_that_wait_for_it(store: ControlStore) -> None:
    add(store, "a")
    [waiting] = sync_status.waiting(store, 10)
    removals.remove(store, ORGANIZATION, "id-a")
    given_up = operations.operation(store, ORGANIZATION, waiting.operation_id)
    assert (given_up.state, given_up.error) == ("FAILED", "the repository was removed")
    assert given_up.ended_at is not None
    failed = operations.list_operations(
        store, ORGANIZATION, ListQuery(5), state=operations.OperationState.FAILED
    )
    assert [one.id for one in failed.items] == [waiting.operation_id]


def test_the_command_line_takes_a_repository_over(store: ControlStore) -> None:
    add(store, "a", is_sandbox=True)
    assert sync_status.readable_repositories(store)[0].address == "https://git.example/a"
    store.upsert_repository(ORGANIZATION, "id-a", name="a", origin="git.example/a")
    [known] = sync_status.readable_repositories(store)
    assert known.address is None
    assert managed_repository(store, ORGANIZATION, "id-a").is_sandbox


@pytest.mark.parametrize("reached", range(3))
def test_a_process_that_is_killed_has_added_some_wholly_and_the_others_not_at_all(
    store: ControlStore, monkeypatch: pytest.MonkeyPatch, reached: int
) -> None:
    appended = operations.append

    def killed(*arguments: Any, **options: Any) -> None:
        appended(*arguments, **options)
        if len(asked) == reached:
            raise KeyboardInterrupt
        asked.append(options["target"][1])

    asked: list[str] = []
    with monkeypatch.context() as patch:
        patch.setattr(operations, "append", killed)
        with pytest.raises(KeyboardInterrupt):
            add_each(store, [new(name) for name in ("a", "b", "c")])
    there = [f"id-{name}" for name in names(store, RepositoryState.ALL)]
    logged = audit.list_entries(store, ORGANIZATION, ListQuery(9), audit.Selection()).items
    assert there == asked == ["id-a", "id-b", "id-c"][:reached]
    assert sorted(entry.target_id for entry in logged) == there
    assert [one.repository_id for one in sync_status.waiting(store, 9)] == there
    # Sent again, the selection is completed.
    outcomes = add_each(store, [new(name) for name in ("a", "b", "c")])
    assert [isinstance(one, AlreadyExists) for one in outcomes] == [n < reached for n in range(3)]
