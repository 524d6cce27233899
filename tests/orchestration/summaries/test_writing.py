"""A build writes the summaries that it completes: once, all that it can, and without touching earlier texts."""

from __future__ import annotations

import json
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import delete, select

from api.control.connections.connections import NewConnection, add_connection
from api.control.list_pages import ListQuery
from api.control.models import Mail, Summary, SummaryRevision
from api.control.models.connections import MODEL_ENDPOINTS
from api.control.operations import operations
from api.control.principals import OPERATOR
from api.control.summaries import regenerations, summaries
from api.control.summaries.kinds import Period, ScopeKind, SummaryKey, SummaryRecord
from api.control.summaries.subscriptions import subscribe
from api.control.summaries.summaries import Selection
from api.presentation.summaries.composing import compose
from api.presentation.summaries.facts import Fact
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.operations import outbox
from orchestration.runtime.explanations import Explained
from orchestration.runtime.run_state import RepositoryEntry
from orchestration.summaries import requests, writing
from orchestration.summaries.build_facts import BuildFacts
from orchestration.summaries.by_model.answers import document_of
from orchestration.summaries.by_model.prompt import PROMPT_VERSION
from orchestration.summaries.writing import Outcome
from tests.api.people import join, principal
from tests.ingest.http.scripted_server import answer as wire
from tests.ingest.providers.openai_compatible.model_server import MODEL, ModelServer, refused, running, said
from tests.orchestration.summaries.fact_builds import REPOSITORY, TEAM, built

# A Thursday.
TODAY = date(2026, 3, 5)
WEEK, MONTH, QUARTER = date(2026, 2, 23), date(2026, 2, 1), date(2025, 10, 1)
ALL = ListQuery(1000)


def stored(deployment: Deployment, **chosen: Any) -> list[SummaryRecord]:
    with deployment.control() as control:
        selection = Selection(**chosen)
        return list(summaries.list_summaries(control, LOCAL_ORGANIZATION, ALL, selection).items)


def starts(deployment: Deployment, period: Period) -> list[date]:
    """First days of the stored summaries of the organization."""
    found = stored(deployment, periods=[period], scope_kinds=[ScopeKind.ORGANIZATION])
    return sorted(one.period_start for one in found)


def add_repository(deployment: Deployment) -> None:
    with deployment.control() as control:
        control.upsert_repository(LOCAL_ORGANIZATION, REPOSITORY, name="web", origin="example.org/web")


def ask(deployment: Deployment, repository_id: str | None) -> str:
    with deployment.control() as control:
        return regenerations.regenerate(control, OPERATOR, LOCAL_ORGANIZATION, repository_id)


def answer(deployment: Deployment, file: Path, build_id: str) -> Outcome:
    """Write after a build that has everything which people asked for."""
    watermark = outbox.current_watermark(deployment, LOCAL_ORGANIZATION)
    waiting = requests.up_to(deployment, LOCAL_ORGANIZATION, watermark)
    return writing.write_due(deployment, file, build_id, requests=waiting)


def test_the_first_build_writes_the_newest_completed_periods_of_every_scope(
    deployment: Deployment, tmp_path: Path
) -> None:
    outcome = writing.write_due(deployment, built(tmp_path, TODAY), "b1")
    assert (outcome.written, outcome.failures) == (9, {})
    found = {
        (one.scope_kind.name, one.scope_name, one.period_start, one.period_end) for one in stored(deployment)
    }
    assert found == {
        (kind, name, start, end)
        for kind, name in (("ORGANIZATION", "Acme"), ("TEAM", "Payments"), ("REPOSITORY", "web"))
        for start, end in (
            (WEEK, date(2026, 3, 1)),
            (MONTH, date(2026, 2, 28)),
            (QUARTER, date(2025, 12, 31)),
        )
    }
    assert {one.newest.build_id for one in stored(deployment)} == {"b1"}
    again = writing.write_due(deployment, built(tmp_path, TODAY, name="b2"), "b2")
    assert (again.written, again.restated, again.metadata()) == (0, 0, {})


def test_missed_weeks_are_written_by_the_next_build(deployment: Deployment, tmp_path: Path) -> None:
    writing.write_due(deployment, built(tmp_path, TODAY), "b1")
    writing.write_due(deployment, built(tmp_path, TODAY + timedelta(weeks=3), name="b2"), "b2")
    assert starts(deployment, Period.WEEK) == [WEEK + timedelta(weeks=number) for number in range(4)]
    assert starts(deployment, Period.MONTH) == [MONTH]


def mailed(deployment: Deployment) -> list[tuple[str, date]]:
    """Length and first day of every summary that waits to be mailed; afterwards none waits."""
    with deployment.control() as control, control.session() as session:
        found = session.execute(
            select(Mail, Summary).join(Summary, Mail.facts["summary"].as_string() == Summary.id)
        )
        told = sorted((summary.period, summary.period_start) for _, summary in found)
        session.execute(delete(Mail))
    return told


def test_only_the_newest_completed_period_is_mailed_and_only_once(
    deployment: Deployment, tmp_path: Path
) -> None:
    with deployment.control() as control:
        ada = principal(control, join(control, LOCAL_ORGANIZATION, "viewer"))
        for period in Period:
            subscribe(control, ada, LOCAL_ORGANIZATION, ScopeKind.ORGANIZATION, None, period)
    writing.write_due(deployment, built(tmp_path, TODAY), "b1")
    assert mailed(deployment) == [("month", MONTH), ("quarter", QUARTER), ("week", WEEK)]
    # Restated, written again on request, and older ones by partition.
    file = built(tmp_path, TODAY, name="b2", etv={("ORGANIZATION", WEEK): 9})
    ask(deployment, None)
    answer(deployment, file, "b2")
    for period, start in ((Period.WEEK, date(2026, 2, 16)), (Period.MONTH, date(2026, 1, 1))):
        assert writing.write_period(deployment, file, "b2", period, start).written == 3
    assert mailed(deployment) == []
    # Three missed weeks.
    writing.write_due(deployment, built(tmp_path, TODAY + timedelta(weeks=3), name="b3"), "b3")
    assert mailed(deployment) == [("week", WEEK + timedelta(weeks=3))]


def test_a_scope_that_is_added_later_gets_the_newest_stored_period(
    deployment: Deployment, tmp_path: Path
) -> None:
    writing.write_due(deployment, built(tmp_path, TODAY, without=("TEAM",)), "b1")
    assert writing.write_due(deployment, built(tmp_path, TODAY, name="b2"), "b2").written == 3
    assert {one.scope_id for one in stored(deployment) if one.newest.build_id == "b2"} == {TEAM}


def test_one_text_that_cannot_be_written_stops_no_other(
    deployment: Deployment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = BuildFacts.facts

    def broken(build: BuildFacts, key: SummaryKey) -> tuple[Fact, ...]:
        if key.scope_id == TEAM and key.period is Period.WEEK:
            raise ZeroDivisionError("no people")
        return whole(build, key)

    with monkeypatch.context() as patch:
        patch.setattr(BuildFacts, "facts", broken)
        outcome = writing.write_due(deployment, built(tmp_path, TODAY), "b1")
    assert outcome.written == 8
    assert outcome.failures == {
        "week from 2026-02-23 of team Payments": "unexpected ZeroDivisionError: no people"
    }
    assert outcome.metadata()["summaries_failed"] == 1
    # The next build tries again.
    assert writing.write_due(deployment, built(tmp_path, TODAY, name="b2"), "b2").written == 1


def test_a_build_without_the_table_of_facts_publishes_all_the_same(
    deployment: Deployment, tmp_path: Path
) -> None:
    (tmp_path / "b1.duckdb").write_bytes(b"no database")
    outcome = writing.write_due(deployment, tmp_path / "b1.duckdb", "b1")
    assert outcome.written == 0
    assert list(outcome.failures) == ["summaries"]


def test_a_restated_fact_marks_the_summary_and_keeps_its_text(deployment: Deployment, tmp_path: Path) -> None:
    writing.write_due(deployment, built(tmp_path, TODAY), "b1")
    later = {("TEAM", WEEK): 9, ("TEAM", date(2026, 2, 16)): 8}
    outcome = writing.write_due(deployment, built(tmp_path, TODAY, name="b2", etv=later), "b2")
    assert (outcome.written, outcome.restated) == (0, 1)
    [marked] = stored(deployment, is_restated=True)
    assert (marked.scope_id, marked.period_start, marked.newest.restated_build_id) == (TEAM, WEEK, "b2")
    with deployment.control() as control:
        text = summaries.content(control, LOCAL_ORGANIZATION, marked.id, 1)
    change = {"factId": "etv", "field": "value", "before": "10.0", "after": "9.0", "people": 3}
    assert text.restated_facts == [change]
    assert [fact["value_micro"] for fact in text.facts] == [10_000_000]
    # The same again, and then as it was.
    same = writing.write_due(deployment, built(tmp_path, TODAY, name="b3", etv=later), "b3")
    assert same.restated == 1
    [kept] = stored(deployment, is_restated=True)
    assert kept.newest.restated_at == marked.newest.restated_at
    assert writing.write_due(deployment, built(tmp_path, TODAY, name="b4"), "b4").restated == 0
    assert stored(deployment, is_restated=True) == []


def test_a_request_adds_texts_of_the_newest_periods_and_of_restated_ones(
    deployment: Deployment, tmp_path: Path
) -> None:
    earlier = TODAY - timedelta(weeks=1)
    writing.write_due(deployment, built(tmp_path, earlier), "b1")
    late = {("REPOSITORY", date(2026, 2, 16)): 7}
    file = built(tmp_path, TODAY, name="b2", etv=late)
    assert writing.write_due(deployment, file, "b2").restated == 1
    add_repository(deployment)
    operation = ask(deployment, REPOSITORY)
    outcome = answer(deployment, file, "b2")
    assert outcome.written == 4
    with deployment.control() as control:
        result = operations.operation(control, LOCAL_ORGANIZATION, operation).result
    assert result == {"summaries": 4, "failed": []}
    found = {one.period_start: one for one in stored(deployment, scope_ids=[REPOSITORY])}
    assert {start: found[start].revision_count for start in (date(2026, 2, 16), WEEK)} == {
        date(2026, 2, 16): 2,
        WEEK: 2,
    }
    assert found[date(2026, 2, 16)].newest.restated_at is None
    # A builder that was killed before the operation was done starts again.
    assert answer(deployment, built(tmp_path, TODAY, name="b3", etv=late), "b3").written == 0
    ask(deployment, None)
    assert answer(deployment, file, "b2").written == 9


def test_texts_that_told_of_what_was_removed_are_replaced_with_all_earlier_ones(
    deployment: Deployment, tmp_path: Path
) -> None:
    writing.write_due(deployment, built(tmp_path, TODAY), "b1")
    ask(deployment, None)
    answer(deployment, built(tmp_path, TODAY, name="b2"), "b2")
    less = {("ORGANIZATION", WEEK): 4}
    file = built(tmp_path, TODAY, name="b3", etv=less, without=("REPOSITORY",))
    outcome = writing.write_due(deployment, file, "b3", forgets=True)
    assert (outcome.failures, outcome.restated) == ({}, 0)
    found = {(one.scope_kind, one.period_start): one for one in stored(deployment)}
    assert {kind for kind, _ in found} == {ScopeKind.ORGANIZATION, ScopeKind.TEAM}
    replaced = found.pop((ScopeKind.ORGANIZATION, WEEK))
    assert {one.newest.build_id for one in found.values()} == {"b2"}
    with deployment.control() as control:
        texts = summaries.list_revisions(control, LOCAL_ORGANIZATION, ALL, replaced.id).items
        content = summaries.content(control, LOCAL_ORGANIZATION, replaced.id, 3)
    assert [(one.number, one.build_id) for one in texts] == [(3, "b3")]
    assert [fact["value_micro"] for fact in content.facts] == [4_000_000]
    # A killed build does the same again.
    assert writing.write_due(deployment, file, "b3", forgets=True).written == 0
    [again] = [one for one in stored(deployment) if one.id == replaced.id]
    assert again.revision_count == 3


def test_no_text_stays_of_an_organization_that_removed_its_only_repository(
    deployment: Deployment, tmp_path: Path
) -> None:
    oldest = date(2025, 12, 1)
    first = built(tmp_path, TODAY)
    writing.write_period(deployment, first, "b1", Period.WEEK, oldest)
    writing.write_due(deployment, first, "b1")
    empty = built(tmp_path, TODAY, name="b2", without=("ORGANIZATION", "TEAM", "REPOSITORY"))
    assert writing.write_due(deployment, empty, "b2").restated == len(stored(deployment)) > 9
    assert writing.write_due(deployment, empty, "b2", forgets=True).failures == {}
    assert stored(deployment) == []


def test_a_request_needs_a_build(deployment: Deployment) -> None:
    operation = ask(deployment, None)
    watermark = outbox.current_watermark(deployment, LOCAL_ORGANIZATION)
    assert [one.id for one in requests.up_to(deployment, LOCAL_ORGANIZATION, watermark)] == [operation]
    outbox.mark_included(deployment, LOCAL_ORGANIZATION, watermark, "b1")
    assert not requests.up_to(deployment, LOCAL_ORGANIZATION, watermark)
    with deployment.control() as control:
        assert operations.operation(control, LOCAL_ORGANIZATION, operation).build_id == "b1"


def test_a_backfill_writes_one_period_and_refuses_one_without_facts(
    deployment: Deployment, tmp_path: Path
) -> None:
    file, past = built(tmp_path, TODAY), date(2025, 12, 15)
    assert writing.write_period(deployment, file, "b1", Period.WEEK, past).written == 3
    assert writing.write_period(deployment, file, "b1", Period.WEEK, past).written == 0
    assert starts(deployment, Period.WEEK) == [past]
    with pytest.raises(Explained, match="from 2025-12-01 to 2026-02-23"):
        writing.write_period(deployment, file, "b1", Period.WEEK, date(2025, 11, 24))
    with pytest.raises(Explained, match="not complete"):
        writing.write_period(deployment, file, "b1", Period.WEEK, date(2026, 3, 2))


@pytest.mark.parametrize(
    ("zone", "read_at", "today", "is_written"),
    [
        # The week ends at 11:00 UTC of Sunday in Auckland, and at 5:00 UTC of Monday in New York.
        ("Pacific/Auckland", "2026-03-01T10:59:59+00:00", date(2026, 3, 2), False),
        ("Pacific/Auckland", "2026-03-01T11:00:00+00:00", date(2026, 3, 2), True),
        ("America/New_York", "2026-03-02T04:59:59+00:00", date(2026, 3, 2), False),
        ("America/New_York", "2026-03-02T05:00:01+00:00", date(2026, 3, 2), True),
        # On the second day nothing waits any more.
        ("America/New_York", "2026-02-20T00:00:00+00:00", date(2026, 3, 3), True),
    ],
)
def test_a_build_at_midnight_leaves_the_week_to_one_that_has_read_its_end(
    deployment: Deployment, tmp_path: Path, zone: str, read_at: str, today: date, is_written: bool
) -> None:
    add_repository(deployment)
    entry = RepositoryEntry(REPOSITORY, "web", "/web", succeeded_at=read_at)
    deployment.run_state.record(LOCAL_ORGANIZATION, entry)
    file = built(tmp_path, today, zone=zone)
    outcome = writing.write_due(deployment, file, "b1", waits_for_sources=True)
    assert starts(deployment, Period.WEEK) == ([WEEK] if is_written else [])
    assert outcome.waits_for == ([] if is_written else ["web"])
    # A build that a person starts waits for nothing.
    writing.write_due(deployment, file, "b1")
    assert starts(deployment, Period.WEEK) == [WEEK]


def test_a_model_writes_for_organization_and_teams_and_for_a_repository_when_asked(
    deployment: Deployment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = {"sections": [{"heading": "", "sentences": ["The work made {etv} ETV."]}]}
    server = ModelServer(lambda _: wire(said(json.dumps(answered))), key=None)
    monkeypatch.setenv("EAS_PRIVATE_HOSTS", "127.0.0.1")
    reaching, file = Deployment(), built(tmp_path, TODAY)
    add_repository(reaching)
    with running(server) as found:
        connect(reaching, f"{found.address}/v1")
        outcome = writing.write_due(reaching, file, "b1")
        assert (outcome.written, outcome.failures) == (9, {})
        ask(reaching, REPOSITORY)
        assert answer(reaching, file, "b1").failures == {}
    texts = [(one.scope_kind.name, one.newest.number, one.newest.written_by.name) for one in stored(reaching)]
    assert sorted(set(texts)) == [
        ("ORGANIZATION", 1, "MODEL"),
        ("REPOSITORY", 2, "MODEL"),
        ("TEAM", 1, "MODEL"),
    ]
    with reaching.control() as control, control.session() as session:
        rows = session.query(SummaryRevision).filter_by(written_by="model").all()
        assert len(rows) == 9
        for row in rows:
            facts = [Fact.from_json(one) for one in row.facts]
            composed = compose(facts, session.get_one(Summary, row.summary_id).scope_name)
            assert document_of(row.answer or "", facts, composed, "").to_json() == row.document
            assert (row.model, row.failure, row.prompt_version) == (f"{MODEL}-2026", None, PROMPT_VERSION)
            assert row.tokens == {"prompt_tokens": 11, "completion_tokens": 7}
            assert row.input_hash


def test_an_endpoint_that_fails_costs_no_text_and_each_says_so(
    deployment: Deployment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EAS_PRIVATE_HOSTS", "127.0.0.1")
    reaching = Deployment()
    server = ModelServer(lambda _: refused(401, "no"), key=None)
    with running(server) as found:
        connect(reaching, f"{found.address}/v1")
        assert writing.write_due(reaching, built(tmp_path, TODAY), "b1").written == 9
    assert len(server.bodies) == 2
    failures = [one.newest.failure for one in stored(reaching) if one.scope_kind is not ScopeKind.REPOSITORY]
    assert {str(one)[:25] for one in failures} == {"it did not answer: The en", "it failed before in this "}
    assert {one.newest.written_by.name for one in stored(reaching)} == {"RULES"}


def connect(deployment: Deployment, address: str) -> None:
    wanted = NewConnection(
        "OPENAI_COMPATIBLE", MODEL_ENDPOINTS, address, "Writer", "", options={"model": MODEL}
    )
    with deployment.control() as control:
        add_connection(control, OPERATOR, LOCAL_ORGANIZATION, wanted)
