"""Results of runs over connections, and the operations that wait for them."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from api.control.connections.connections import (
    Account,
    ConnectionChange,
    change_connection,
    connection,
    remove_connection,
    request_sync,
)
from api.control.connections.health import MAX_EVENTS, ConnectionHealth, health_history
from api.control.connections.sync_status import (
    due_connections,
    note_attempt,
    note_failure,
    note_parked,
    note_partial,
    note_success,
    waiting_syncs,
)
from api.control.list_pages import ListQuery
from api.control.models import ConnectionEvent
from api.control.operations import operations
from api.control.operations.operations import OperationState
from api.control.principals import OPERATOR
from api.control.repositories import repositories, sync_status
from api.control.repositories.repositories import Health, NewRepository, RepositoryState
from api.control.repositories.settings import Settings
from api.control.store import ControlStore
from tests.api.control.connections.places import connect
from tests.api.people import Clock

pytestmark = pytest.mark.both_databases

ALL = ListQuery(1000)


@pytest.fixture
def acme(store: ControlStore) -> str:
    return store.ensure_organization("Acme").id


@pytest.fixture
def host(store: ControlStore, acme: str) -> str:
    """A connection that was read once."""
    made = connect(store, acme)
    note_attempt(store, acme, made)
    note_success(store, acme, made, rows={"repositories": 3}, warnings=[])
    return made


def history(store: ControlStore, acme: str, connection_id: str) -> list[tuple[str, str | None]]:
    found = health_history(store, acme, ALL, connection_id)
    return [(one.health, one.message) for one in found.items]


def test_a_new_connection_waits_for_its_first_sync(store: ControlStore, acme: str) -> None:
    made = connect(store, acme)
    assert [(one.connection_id, one.is_full) for one in waiting_syncs(store, 10)] == [(made, False)]
    assert connection(store, acme, made).health is ConnectionHealth.PENDING


def test_a_complete_pass_answers_the_sync_and_the_build_ends_it(
    store: ControlStore, acme: str, host: str, clock: Clock
) -> None:
    asked = request_sync(store, OPERATOR, acme, host, is_full=True)
    assert [(one.operation_id, one.is_full) for one in waiting_syncs(store, 10)] == [(asked.id, True)]
    assert operations.up_to(store, acme, operations.current_watermark(store, acme))[-1].id != asked.id
    assert note_attempt(store, acme, host)
    clock.advance(minutes=3)
    note_success(store, acme, host, rows={"pull_requests": 7}, warnings=["The token ends soon."])
    assert waiting_syncs(store, 10) == []
    found = connection(store, acme, host)
    assert (found.last_synced_at, found.row_counts) == (clock(), {"pull_requests": 7})
    assert found.warnings == ("The token ends soon.",)
    operations.include(store, acme, operations.current_watermark(store, acme), "b1")
    assert operations.operation(store, acme, asked.id).state is OperationState.DONE


def test_a_sync_that_was_requested_during_a_run_waits_for_the_next(
    store: ControlStore, acme: str, host: str
) -> None:
    note_attempt(store, acme, host)
    asked = request_sync(store, OPERATOR, acme, host, is_full=True)
    note_success(store, acme, host, rows={}, warnings=[])
    assert [one.operation_id for one in waiting_syncs(store, 10)] == [asked.id]


def test_a_killed_run_leaves_the_sync_waiting(store: ControlStore, acme: str, host: str) -> None:
    asked = request_sync(store, OPERATOR, acme, host, is_full=False)
    assert not note_attempt(store, acme, host)
    assert [one.operation_id for one in waiting_syncs(store, 10)] == [asked.id]


def test_a_partial_pass_does_not_move_the_last_sync(
    store: ControlStore, acme: str, host: str, clock: Clock
) -> None:
    before = connection(store, acme, host).last_synced_at
    asked = request_sync(store, OPERATOR, acme, host, is_full=False)
    clock.advance(hours=1)
    note_attempt(store, acme, host)
    failures = {f"pull_requests/{number}": "Not found." for number in range(5)}
    note_partial(store, acme, host, rows={"repositories": 1}, warnings=[], failures=failures)
    found = connection(store, acme, host)
    assert (found.health, found.last_synced_at) == (ConnectionHealth.DEGRADED, before)
    assert found.failure is not None
    assert "5 parts" in found.failure
    assert "pull_requests/0: Not found." in found.failure
    assert "2 more" in found.failure
    assert found.last_attempt_at == clock()
    assert operations.operation(store, acme, asked.id).state is OperationState.FAILED
    assert waiting_syncs(store, 10) == []


@pytest.mark.parametrize("is_full", [False, True])
def test_a_failed_sync_stays_failed_and_a_later_run_reads_what_it_owed(
    store: ControlStore, acme: str, host: str, clock: Clock, is_full: bool
) -> None:
    clock.advance(minutes=1)
    asked = request_sync(store, OPERATOR, acme, host, is_full=is_full)
    note_attempt(store, acme, host)
    note_failure(store, acme, host, reason="EXPIRED", message="The token has expired.")
    for _ in range(2):
        # Everything again, until a run has read it.
        assert note_attempt(store, acme, host) is is_full
        assert operations.operation(store, acme, asked.id).state is OperationState.FAILED
    clock.advance(minutes=1)
    note_success(store, acme, host, rows={}, warnings=[])
    assert not note_attempt(store, acme, host)
    operations.include(store, acme, operations.current_watermark(store, acme), "b1")
    found = operations.operation(store, acme, asked.id)
    assert (found.state, found.error) == (OperationState.FAILED, "The token has expired.")


def test_a_limited_connection_is_due_after_the_limit_and_waits_until_then(
    store: ControlStore, acme: str, host: str, clock: Clock
) -> None:
    asked = request_sync(store, OPERATOR, acme, host, is_full=False)
    note_attempt(store, acme, host)
    until = clock() + timedelta(minutes=20)
    note_parked(store, acme, host, until=until, message="git.example limits requests.")
    assert connection(store, acme, host).next_attempt_at == until
    assert waiting_syncs(store, 10) == []
    assert due_connections(store, clock()) == []
    assert operations.operation(store, acme, asked.id).state is OperationState.PENDING
    clock.advance(minutes=20)
    assert [one.connection_id for one in due_connections(store, clock())] == [host]
    assert [one.operation_id for one in waiting_syncs(store, 10)] == [asked.id]
    note_attempt(store, acme, host)
    note_success(store, acme, host, rows={}, warnings=[])
    assert due_connections(store, clock()) == []
    assert connection(store, acme, host).next_attempt_at is None


def test_the_history_has_each_change_of_health_once(
    store: ControlStore, acme: str, host: str, clock: Clock
) -> None:
    for _ in range(3):
        note_failure(store, acme, host, reason="EXPIRED", message="Expired.")
        clock.advance(hours=1)
    for _ in range(3):
        note_parked(store, acme, host, until=clock() + timedelta(hours=1), message=f"Until {clock()}.")
        clock.advance(hours=1)
    note_success(store, acme, host, rows={}, warnings=[])
    assert [health for health, _ in history(store, acme, host)] == [
        "HEALTHY", "LIMITED", "FAILING", "HEALTHY",
    ]  # fmt: skip
    assert connection(store, acme, host).failure is None


def test_a_message_that_quotes_the_provider_is_kept_without_what_a_database_refuses(
    store: ControlStore, acme: str, host: str
) -> None:
    asked = request_sync(store, OPERATOR, acme, host, is_full=False)
    note_attempt(store, acme, host)
    note_failure(store, acme, host, reason="INVALID", message="It says \0" + "x" * 5000)
    failure = connection(store, acme, host).failure or ""
    assert (failure[:9], len(failure)) == ("It says  ", 2000)
    assert "\0" not in (operations.operation(store, acme, asked.id).error or "")


def test_the_history_is_bounded(store: ControlStore, acme: str, host: str, clock: Clock) -> None:
    for number in range(MAX_EVENTS + 5):
        note_failure(store, acme, host, reason="INVALID", message=f"{number}")
        clock.advance(hours=1)
    found = history(store, acme, host)
    assert len(found) == MAX_EVENTS
    assert found[0] == ("FAILING", str(MAX_EVENTS + 4))


def test_a_new_secret_keeps_the_history_and_asks_for_a_sync(
    store: ControlStore, acme: str, host: str
) -> None:
    note_failure(store, acme, host, reason="EXPIRED", message="Expired.")
    last = connection(store, acme, host).last_synced_at
    change_connection(store, OPERATOR, acme, host, ConnectionChange(secret="new-token"))
    found = connection(store, acme, host)
    assert (found.health, found.failure, found.last_synced_at) == (ConnectionHealth.PENDING, None, last)
    assert ("FAILING", "Expired.") in history(store, acme, host)
    assert len(waiting_syncs(store, 10)) == 1


def test_other_options_are_read_completely(store: ControlStore, acme: str, host: str) -> None:
    change_connection(store, OPERATOR, acme, host, ConnectionChange(options={"projects": ["A"]}))
    assert [one.is_full for one in waiting_syncs(store, 10)] == [True]


def test_a_removed_connection_ends_its_operations_and_ignores_late_runs(
    store: ControlStore, acme: str, host: str
) -> None:
    asked = request_sync(store, OPERATOR, acme, host, is_full=False)
    remove_connection(store, OPERATOR, acme, host)
    for late in (
        lambda: note_attempt(store, acme, host),
        lambda: note_success(store, acme, host, rows={}, warnings=[]),
        lambda: note_failure(store, acme, host, reason="TLS", message="x"),
    ):
        late()
    assert waiting_syncs(store, 10) == []
    assert operations.operation(store, acme, asked.id).error == "the connection was removed"
    with store.session() as session:
        assert len(session.scalars(select(ConnectionEvent)).all()) == 1


def test_a_repository_needs_attention_while_its_connection_fails(
    store: ControlStore, acme: str, host: str
) -> None:
    address = "https://git.example/acme/web"
    new = NewRepository("r1", "git.example/acme/web", address, Settings("web"), host, "1")
    repositories.add_repository(store, OPERATOR, acme, new)
    [readable] = sync_status.readable_repositories(store)
    assert (readable.connection_id, readable.provider_id) == (host, "1")
    sync_status.note_success(store, acme, "r1", 5)

    def seen() -> tuple[Health, int, int]:
        one = repositories.managed_repository(store, acme, "r1")
        stuck = repositories.list_repositories(store, acme, ALL, state=RepositoryState.NEEDS_ATTENTION)
        assert all(item.health is one.health for item in stuck.items)
        counts = repositories.state_counts(store, acme)
        return one.health, len(stuck.items), counts[RepositoryState.NEEDS_ATTENTION]

    assert seen() == (Health.HEALTHY, 0, 0)
    note_failure(store, acme, host, reason="EXPIRED", message="The token has expired.")
    assert seen() == (Health.FAILING, 1, 1)
    failure = repositories.managed_repository(store, acme, "r1").connection_failure
    assert failure is not None
    assert "The token has expired." in failure
    note_success(store, acme, host, rows={}, warnings=[])
    assert seen() == (Health.HEALTHY, 0, 0)
    remove_connection(store, OPERATOR, acme, host)
    assert sync_status.readable_repositories(store)[0].connection_id is None


@pytest.mark.parametrize(
    ("address", "connected", "is_read_with_it"),
    [
        ("https://git.example/acme/web", "https://git.example/sub", True),
        ("https://git.example:8443/acme/web", "https://git.example", True),
        ("https://git.example/acme/web", "https://api.git.example", True),
        ("https://stranger.example/acme/web", "https://git.example", False),
        ("https://git.example.stranger.example/web", "https://git.example", False),
        ("https://example/acme/web", "https://git.example", False),
        ("git@git.example:acme/web", "https://git.example", False),
    ],
)
def test_a_token_is_only_for_the_host_of_its_connection(
    store: ControlStore, acme: str, address: str, connected: str, is_read_with_it: bool
) -> None:
    made = connect(store, acme, address=connected)
    repositories.add_repository(
        store, OPERATOR, acme, NewRepository("r1", "x/acme/web", address, Settings("web"), made, "1")
    )
    [readable] = sync_status.readable_repositories(store)
    assert readable.connection_id == (made if is_read_with_it else None)


def test_the_end_of_a_token_is_told_before_and_after_it_and_by_every_run(
    store: ControlStore, acme: str, clock: Clock
) -> None:
    end = clock() + timedelta(days=20)
    account = Account("ada", end, (f"The token ends on {end:%d %B %Y}: create the next one in time.",))
    one = connect(store, acme, account=account)
    assert connection(store, acme, one).warnings == ()
    clock.advance(days=10)
    note_success(store, acme, one, rows={}, warnings=["3 rows could not be read."])
    ends, told = connection(store, acme, one).warnings
    assert ends.startswith(f"The token ends on {end:%Y-%m-%d}: ")
    assert told == "3 rows could not be read."
    clock.advance(days=11)
    assert connection(store, acme, one).warnings[0].startswith("The token ended on ")
