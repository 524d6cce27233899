"""Texts of summaries are stored once, however often and from wherever they are written."""

import threading
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from sqlalchemy import text

from api.control.errors import NotAllowed, NotFound
from api.control.list_pages import ListQuery
from api.control.operations import operations
from api.control.principals import OPERATOR
from api.control.repositories import removals
from api.control.store import ControlStore, open_store
from api.control.summaries import regenerations, revisions, summaries
from api.control.summaries.kinds import Author, Period, ScopeKind, SummaryKey, WrittenText
from api.control.summaries.summaries import Selection
from tests.control_databases import Url

MONDAY = date(2026, 3, 2)
FACTS = [{"factId": "etv", "valueMicro": 41_700_000}]
PAGE = ListQuery(50)


@pytest.fixture
def store(tmp_path: Path, control_databases: Url) -> ControlStore:
    return open_store(tmp_path, url=control_databases(tmp_path))


@pytest.fixture
def organization(store: ControlStore) -> str:
    return store.ensure_organization("Acme").id


def week(organization: str, start: date = MONDAY, kind: ScopeKind = ScopeKind.ORGANIZATION) -> SummaryKey:
    return SummaryKey(kind, organization, Period.WEEK, start, start + timedelta(days=6))


def written(build: str = "b1", etv: int = 41_700_000) -> WrittenText:
    facts = [{"factId": "etv", "valueMicro": etv}]
    return WrittenText("Acme", build, "0.6.0", 2, facts, {"title": f"A week of {build}"}, f"digest of {etv}")


def texts(store: ControlStore, organization: str, key: SummaryKey) -> list[str]:
    """The builds of the texts of a summary, oldest first."""
    selection = Selection(scope_ids=[key.scope_id], periods=[key.period], start_on=key.period_start)
    page = summaries.list_summaries(store, organization, PAGE, selection)
    (found,) = [one for one in page.items if one.period_start == key.period_start]
    revisions_ = summaries.list_revisions(store, organization, PAGE, found.id).items
    return [one.build_id for one in reversed(revisions_)]


@pytest.mark.both_databases
def test_a_summary_is_stored_once_by_whatever_build(store: ControlStore, organization: str) -> None:
    key = week(organization)
    assert revisions.store_first(store, organization, key, written("b1"))
    assert not revisions.store_first(store, organization, key, written("b1"))
    assert not revisions.store_first(store, organization, key, written("b2", 1))
    assert texts(store, organization, key) == ["b1"]


@pytest.mark.both_databases
def test_of_many_builders_at_once_one_stores(store: ControlStore, organization: str) -> None:
    key, stored = week(organization), []
    barrier = threading.Barrier(6)

    def build(number: int) -> None:
        barrier.wait()
        stored.append(revisions.store_first(store, organization, key, written(f"b{number}")))

    threads = [threading.Thread(target=build, args=(number,)) for number in range(6)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sorted(stored) == [False] * 5 + [True]


@pytest.mark.both_databases
def test_an_operation_adds_one_text_and_the_earlier_ones_stay(store: ControlStore, organization: str) -> None:
    key = week(organization)
    revisions.store_first(store, organization, key, written("b1"))
    model = replace(written("b2"), written_by=Author.MODEL, model="small", prompt_version="1", input_hash="h")
    assert revisions.store_again(store, organization, key, model, "operation 1")
    # The builder was killed before the operation was marked as done, and a later build starts again.
    assert revisions.has_text_of(store, organization, key, "operation 1")
    assert not revisions.store_again(store, organization, key, written("b3"), "operation 1")
    assert revisions.store_again(store, organization, key, written("b3"), "operation 2")
    assert texts(store, organization, key) == ["b1", "b2", "b3"]
    (found,) = summaries.list_summaries(store, organization, PAGE, Selection()).items
    assert (found.revision_count, found.newest.number, found.newest.written_by) == (3, 3, Author.RULES)
    second = summaries.content(store, organization, found.id, 2)
    assert (second.revision.written_by, second.revision.model) == (Author.MODEL, "small")
    assert second.document == {"title": "A week of b2"}
    with pytest.raises(NotFound, match="no revision 4"):
        summaries.content(store, organization, found.id, 4)


@pytest.mark.both_databases
def test_a_restatement_marks_the_text_and_keeps_it(store: ControlStore, organization: str) -> None:
    key = week(organization)
    revisions.store_first(store, organization, key, written("b1"))
    (stored,) = revisions.stored_since(store, organization, {Period.WEEK: MONDAY})
    assert (stored.key, stored.facts_digest, stored.is_restated) == (key, "digest of 41700000", False)
    change = {"factId": "etv", "field": "value", "before": 41_700_000, "after": 40_000_000}
    revisions.note_restatement(store, organization, stored, "b2", "digest of 40000000", [change])
    (found,) = summaries.list_summaries(store, organization, PAGE, Selection(is_restated=True)).items
    assert found.newest.restated_build_id == "b2"
    content = summaries.content(store, organization, found.id, 1)
    assert (content.restated_facts, content.facts) == ([change], FACTS)
    assert content.document == {"title": "A week of b1"}
    # A third build has the figures of the text again.
    (stored,) = revisions.stored_since(store, organization, {Period.WEEK: MONDAY})
    revisions.note_restatement(store, organization, stored, "b3", "digest of 41700000", [])
    assert not summaries.list_summaries(store, organization, PAGE, Selection(is_restated=True)).items


def test_only_periods_since_a_day_are_compared(store: ControlStore, organization: str) -> None:
    for weeks in range(4):
        revisions.store_first(
            store, organization, week(organization, MONDAY + timedelta(weeks=weeks)), written()
        )
    found = revisions.stored_since(store, organization, {Period.WEEK: MONDAY + timedelta(weeks=2)})
    assert [one.key.period_start.day for one in found] == [16, 23]
    assert revisions.stored_since(store, organization, {Period.MONTH: MONDAY}) == []
    last = revisions.last_starts(store, [organization, "another"])
    assert last == {(organization, Period.WEEK): date(2026, 3, 23)}


@pytest.mark.both_databases
def test_the_list_selects_and_orders(store: ControlStore, organization: str) -> None:
    for start in (MONDAY, MONDAY + timedelta(weeks=1)):
        revisions.store_first(store, organization, week(organization, start), written())
        revisions.store_first(store, organization, week("team", start, ScopeKind.TEAM), written())
    month = SummaryKey(ScopeKind.REPOSITORY, "r", Period.MONTH, date(2026, 2, 1), date(2026, 2, 28))
    revisions.store_first(store, organization, month, written())

    def found(selection: Selection, order: str = "") -> list[tuple[str, date]]:
        page = summaries.list_summaries(store, organization, ListQuery(50, order), selection)
        assert page.total == len(page.items)
        return [(one.scope_id, one.period_start) for one in page.items]

    assert [day for _, day in found(Selection())] == [date(2026, 3, 9)] * 2 + [MONDAY] * 2 + [
        date(2026, 2, 1)
    ]
    assert found(Selection(periods=[Period.MONTH])) == [("r", date(2026, 2, 1))]
    assert found(Selection(scope_kinds=[ScopeKind.TEAM]), "startDate") == [
        ("team", MONDAY),
        ("team", date(2026, 3, 9)),
    ]
    assert found(Selection(teams=["team"], end_on=date(2026, 3, 8))) == [("team", MONDAY)]
    assert found(Selection(teams=[])) == []
    mine = summaries.list_summaries(store, organization, PAGE, Selection(teams=["team"])).items[0]
    assert summaries.summary(store, organization, mine.id, ["team"]) == mine
    with pytest.raises(NotAllowed, match="teams that you lead"):
        summaries.summary(store, organization, mine.id, ["another"])
    other = store.ensure_organization("Other").id
    with pytest.raises(NotFound):
        summaries.summary(store, other, mine.id)


def test_a_removed_repository_takes_its_summaries_with_it(store: ControlStore, organization: str) -> None:
    store.upsert_repository(organization, "r", name="web", origin="example.org/web")
    revisions.store_first(store, organization, week("r", kind=ScopeKind.REPOSITORY), written())
    revisions.store_first(store, organization, week(organization), written())
    removals.remove(store, organization, "r")
    removals.forget(store, organization, "r")
    left = summaries.list_summaries(store, organization, PAGE, Selection()).items
    assert [one.scope_kind for one in left] == [ScopeKind.ORGANIZATION]
    with store.session() as session:
        assert session.scalar(text("select count(*) from summary_revisions")) == 1


def test_a_request_waits_in_the_outbox(store: ControlStore, organization: str) -> None:
    store.upsert_repository(organization, "r", name="web", origin="example.org/web")
    whole = regenerations.regenerate(store, OPERATOR, organization, None)
    one = regenerations.regenerate(store, OPERATOR, organization, "R")
    found = operations.pending(store, organization)
    assert [(each.id, each.action, each.target_kind, each.target_id) for each in found] == [
        (whole, regenerations.REGENERATE, "organization", organization),
        (one, regenerations.REGENERATE, "repository", "r"),
    ]
    with pytest.raises(NotFound, match="no repository 'gone'"):
        regenerations.regenerate(store, OPERATOR, organization, "gone")
