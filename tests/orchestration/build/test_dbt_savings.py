from collections.abc import Iterator
from typing import Any

import pytest
from dbt_common.events.base_types import EventLevel
from dbt_common.events.event_manager import EventManager
from dbt_common.events.event_manager_client import ctx_set_event_manager, get_event_manager
from dbt_common.events.functions import fire_event
from dbt_common.events.types import Note, RetryExternalCall

from orchestration.build import dbt_savings
from orchestration.build.dbt_savings import WithoutDebugEvents


@pytest.fixture
def heard() -> Iterator[list[str]]:
    before = get_event_manager()
    ctx_set_event_manager(EventManager())
    dbt_savings.install()
    texts: list[str] = []

    def hear(message: Any) -> None:  # an EventMsg; its protocol leaves out the text
        texts.append(message.info.msg)

    get_event_manager().add_callback(hear)
    yield texts
    ctx_set_event_manager(before)


def test_events_for_users_are_handed_on(heard: list[str]) -> None:
    for level in (EventLevel.INFO, EventLevel.WARN, EventLevel.ERROR):
        fire_event(Note(msg=level.value), level=level)
    assert heard == ["info", "warn", "error"]


def test_events_for_developers_of_dbt_are_dropped(heard: list[str]) -> None:
    fire_event(RetryExternalCall(attempt=1, max=2))
    fire_event(Note(msg="at a debug level"), level=EventLevel.DEBUG)
    fire_event(Note(msg="perhaps an error"), level=EventLevel.DEBUG, force_warn_or_error_handling=True)
    assert heard == ["perhaps an error"]


def test_a_dropped_event_can_still_be_read(heard: list[str]) -> None:
    event = RetryExternalCall(attempt=1, max=2)
    assert (event.attempt, event.max) == (1, 2)
    event.attempt = 3
    assert "3" in event.message()
    assert Note(msg="a note").msg == "a note"


def test_the_manager_with_its_callbacks_stays_from_one_command_to_the_next(heard: list[str]) -> None:
    before = get_event_manager()
    dbt_savings.install()
    assert get_event_manager() is before
    assert isinstance(before, WithoutDebugEvents)
