"""The outbox: the transaction of a change writes its entry, in order; the build that includes it ends the entry."""

import threading

import pytest

from api.control.audit import Target, record_for
from api.control.errors import NotFound
from api.control.list_pages import ListQuery
from api.control.models import Operation
from api.control.operations import operations
from api.control.operations.operations import OperationState, Watermark
from api.control.principals import OPERATOR
from api.control.store import ControlStore
from tests.api.people import Clock

pytestmark = pytest.mark.both_databases

TARGET = Target("team", "t", "Web")


@pytest.fixture
def acme(store: ControlStore) -> str:
    return store.ensure_organization("Acme").id


def change(store: ControlStore, organization: str, *, read_again: str | None = None) -> None:
    with store.write_transaction(organization) as session:
        record_for(
            session, organization, OPERATOR, "teams.update", TARGET,
            restates=True, read_again=read_again,
        )  # fmt: skip


def states(store: ControlStore, organization: str) -> dict[int, str]:
    found = operations.list_operations(store, organization, ListQuery(100))
    return {one.position: one.state.value for one in found.items}


def test_a_refused_change_leaves_no_operation(store: ControlStore, acme: str) -> None:
    def refused() -> None:
        with store.write_transaction(acme) as session:
            record_for(session, acme, OPERATOR, "teams.update", TARGET, restates=True)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        refused()
    assert states(store, acme) == {}


def test_a_change_without_effect_on_figures_is_no_operation(store: ControlStore, acme: str) -> None:
    with store.write_transaction(acme) as session:
        record_for(session, acme, OPERATOR, "teams.update", TARGET)
    assert states(store, acme) == {}


def test_changes_at_the_same_time_have_positions_without_gaps(store: ControlStore, acme: str) -> None:
    def several() -> None:
        for _ in range(5):
            change(store, acme)

    threads = [threading.Thread(target=several) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(states(store, acme)) == list(range(1, 21))


def test_positions_are_an_organizations_own(store: ControlStore, acme: str) -> None:
    other = store.ensure_organization("Other").id
    change(store, acme)
    change(store, other)
    assert (states(store, acme), states(store, other)) == ({1: "PENDING"}, {1: "PENDING"})
    operations.include(store, acme, Watermark(9, store.now()), "b")
    assert states(store, other) == {1: "PENDING"}


def test_a_build_completes_each_change_up_to_its_watermark_once(store: ControlStore, acme: str) -> None:
    change(store, acme)
    watermark = operations.current_watermark(store, acme)
    change(store, acme)
    operations.include(store, acme, watermark, "b1")
    assert states(store, acme) == {1: "DONE", 2: "PENDING"}
    operations.include(store, acme, operations.current_watermark(store, acme), "b2")
    builds = {
        one.position: one.build_id for one in operations.list_operations(store, acme, ListQuery(9)).items
    }
    assert builds == {1: "b1", 2: "b2"}


def test_a_change_that_needs_an_analysis_stays_pending_until_a_later_build(
    store: ControlStore, acme: str, clock: Clock
) -> None:
    change(store, acme, read_again="r")
    change(store, acme)
    early = operations.current_watermark(store, acme)
    operations.include(store, acme, early, "b1")
    assert states(store, acme) == {1: "PENDING", 2: "DONE"}
    clock.advance(seconds=1)
    [waiting] = operations.pending(store, acme)
    with store.session() as session:
        session.get_one(Operation, waiting.id).read_at = clock()
    # A build that began before the repository was read does not include it.
    operations.include(store, acme, early, "b2")
    assert states(store, acme)[1] == "PENDING"
    operations.include(store, acme, operations.current_watermark(store, acme), "b3")
    assert states(store, acme)[1] == "DONE"


def test_a_failure_is_shown_until_a_build_includes_the_change(store: ControlStore, acme: str) -> None:
    change(store, acme)
    operations.fail(store, acme, operations.current_watermark(store, acme), "x" * 5000)
    failed = operations.list_operations(store, acme, ListQuery(9), state=OperationState.FAILED)
    assert (failed.total, len(failed.items[0].error or "")) == (1, operations.MAX_ERROR_LENGTH)
    assert operations.list_operations(store, acme, ListQuery(9), state=OperationState.PENDING).total == 0
    operations.include(store, acme, operations.current_watermark(store, acme), "b")
    assert operations.list_operations(store, acme, ListQuery(9), state=OperationState.DONE).total == 1


def test_an_operation_of_another_organization_is_unknown(store: ControlStore, acme: str) -> None:
    other = store.ensure_organization("Other").id
    change(store, other)
    [one] = operations.pending(store, other)
    assert operations.operation(store, other, one.id).position == 1
    with pytest.raises(NotFound):
        operations.operation(store, acme, one.id)
