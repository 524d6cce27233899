"""A month can be closed only when no change of its figures is pending."""

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from api.control.capex.locks import lock_month
from api.control.errors import NotPossible
from api.control.operations import operations
from api.control.principals import OPERATOR
from api.control.repositories import removals, repositories, sync_status
from api.control.repositories.settings import Settings, SettingsChange
from api.control.store import ControlStore
from api.control.teams import teams
from tests.api.people import Clock

pytestmark = pytest.mark.both_databases

MONTH = date(2026, 3, 1)
ROW = {"month": MONTH, "developer_id": "d1", "is_draft": False, "hours": 1.0, "capex_hours": 1.0}


@pytest.fixture
def acme(store: ControlStore) -> str:
    """An organization with two analysed repositories and no pending change."""
    acme = store.ensure_organization("Acme").id
    for key in ("web", "api"):
        store.upsert_repository(acme, key, name=key, origin=f"git.example/{key}")
    return acme


def close(store: ControlStore, acme: str) -> None:
    lock_month(store, OPERATOR, acme, MONTH, [ROW], "b1")


def change(store: ControlStore, acme: str, **settings: Any) -> None:
    repositories.change_repository(store, OPERATOR, acme, "web", SettingsChange(**settings))


def build(store: ControlStore, clock: Clock, acme: str) -> None:
    clock.advance(minutes=1)
    operations.include(store, acme, operations.current_watermark(store, acme), "b2")


def read(store: ControlStore, acme: str) -> None:
    begun = sync_status.begin(store, acme, "web")
    sync_status.answer(store, {one.operation_id: None for one in begun})


@pytest.mark.parametrize(
    "settings", [{"chosen_branch": "next"}, {"chosen_branch": "next", "is_excluded": True}]
)
def test_a_month_waits_for_a_repository_to_be_read_and_then_for_the_build(
    store: ControlStore, clock: Clock, acme: str, settings: dict[str, object]
) -> None:
    change(store, acme, **settings)
    with pytest.raises(NotPossible, match=r"1 change waits for the next build and for a new analysis of web"):
        close(store, acme)
    build(store, clock, acme)
    with pytest.raises(NotPossible, match="for a new analysis of web"):
        close(store, acme)
    sync_status.begin(store, acme, "web")
    with pytest.raises(NotPossible, match="for a new analysis of web"):
        close(store, acme)
    read(store, acme)
    with pytest.raises(NotPossible, match=r"1 change waits for the next build; try again"):
        close(store, acme)
    build(store, clock, acme)
    close(store, acme)


@pytest.mark.parametrize("settings", [{"is_excluded": True}, {"is_sandbox": True}])
def test_a_month_waits_for_a_build_alone_where_nothing_is_read(
    store: ControlStore, clock: Clock, acme: str, settings: dict[str, object]
) -> None:
    change(store, acme, **settings)
    with pytest.raises(NotPossible, match=r"1 change waits for the next build; try again"):
        close(store, acme)
    build(store, clock, acme)
    close(store, acme)


def test_a_repository_that_was_added_is_waited_for(store: ControlStore, clock: Clock, acme: str) -> None:
    settings = Settings("new")
    wanted = repositories.NewRepository("new", "git.example/new", "https://git.example/new", settings)
    repositories.add_repository(store, OPERATOR, acme, wanted)
    teams.create_team(store, OPERATOR, acme, "Web")
    with pytest.raises(NotPossible, match=r"2 changes wait for the next build and for a new analysis of new"):
        close(store, acme)


def fail(store: ControlStore, acme: str) -> None:
    begun = sync_status.begin(store, acme, "web")
    sync_status.refuse(store, [one.operation_id for one in begun], "the host does not answer")


@pytest.mark.parametrize(
    "end",
    [
        fail,
        lambda store, acme: change(store, acme, is_stopped=True),
        lambda store, acme: change(store, acme, is_disabled=True),
        lambda store, acme: removals.remove(store, acme, "web", actor=OPERATOR),
    ],
    ids=["unreadable", "stopped", "disabled", "removed"],
)
def test_a_repository_that_is_not_analysed_blocks_no_closing(
    store: ControlStore, clock: Clock, acme: str, end: Callable[[ControlStore, str], None]
) -> None:
    change(store, acme, chosen_branch="next")
    end(store, acme)
    build(store, clock, acme)
    close(store, acme)
