"""Stores texts of summaries. A builder that is killed and starts again, or two at once, store each text once.

Keep out: reading for callers (summaries.py), who asks for a new text (regenerations.py), writing texts (orchestration).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from api.control.ids import new_id
from api.control.models import Summary, SummaryRevision
from api.control.records import owned
from api.control.store import ControlStore
from api.control.summaries.kinds import Period, ScopeKind, SummaryKey, WrittenText
from api.control.summaries.subscriptions import queue_mails


@dataclass(frozen=True, slots=True)
class StoredSummary:
    """A stored summary as a build compares it with its own facts."""

    id: str
    key: SummaryKey
    number: int
    facts_digest: str
    is_restated: bool


def stored_since(
    store: ControlStore, organization_id: str, starts: Mapping[Period, date]
) -> list[StoredSummary]:
    """The stored summaries of periods that begin on these days or later."""
    newest = (SummaryRevision.summary_id == Summary.id) & (SummaryRevision.number == Summary.revision_count)
    with store.session() as session:
        rows = session.execute(
            select(Summary, SummaryRevision.facts_digest, SummaryRevision.restated_at)
            .join(SummaryRevision, newest)
            .where(Summary.organization_id == organization_id)
            .order_by(Summary.period_start, Summary.id)
        ).all()
    found = [
        StoredSummary(row.id, _key(row), row.revision_count, digest, restated_at is not None)
        for row, digest, restated_at in rows
    ]
    return [one for one in found if one.key.period_start >= starts.get(one.key.period, date.max)]


def last_starts(store: ControlStore, organization_ids: Collection[str]) -> dict[tuple[str, Period], date]:
    """The first day of the newest summary of each organization as a whole, by organization and length."""
    with store.session() as session:
        rows = session.execute(
            select(Summary.organization_id, Summary.period, func.max(Summary.period_start))
            .where(Summary.organization_id.in_(organization_ids))
            .where(Summary.scope_kind == ScopeKind.ORGANIZATION.value)
            .group_by(Summary.organization_id, Summary.period)
        ).all()
    return {(organization, Period(period)): start for organization, period, start in rows}


def store_first(
    store: ControlStore, organization_id: str, key: SummaryKey, text: WrittenText, *, is_news: bool = False
) -> bool:
    """Store the first text of a summary. False where the summary exists: another process was first.

    A summary that is news is mailed to its subscribers: that of the newest completed period, and no older one.
    """
    with store.write_transaction(organization_id) as session:
        if _find(session, organization_id, key) is not None:
            return False
        row = Summary(
            id=new_id(),
            organization_id=organization_id,
            scope_kind=key.scope_kind.value,
            scope_id=key.scope_id,
            scope_name=text.scope_name,
            period=key.period.value,
            period_start=key.period_start,
            period_end=key.period_end,
            revision_count=1,
        )
        session.add(row)
        session.flush()
        session.add(_revision(store, row, text, operation_id=None))
        if is_news:
            queue_mails(session, store.now(), row)
        return True


def store_again(
    store: ControlStore,
    organization_id: str,
    key: SummaryKey,
    text: WrittenText,
    operation_id: str,
    *,
    is_news: bool = False,
) -> bool:
    """Store another text of a summary, which an operation asked for; the first one where there is none yet.

    False where the operation has its text already. Only a first text is mailed, as in `store_first`.
    """
    with store.write_transaction(organization_id) as session:
        row = _find(session, organization_id, key)
        if row is None:
            row = Summary(
                id=new_id(),
                organization_id=organization_id,
                scope_kind=key.scope_kind.value,
                scope_id=key.scope_id,
                period=key.period.value,
                period_start=key.period_start,
                period_end=key.period_end,
                revision_count=0,
            )
            session.add(row)
        elif operation_id in _operations_of(session, row.id):
            return False
        row.revision_count += 1
        row.scope_name = text.scope_name
        session.flush()
        session.add(_revision(store, row, text, operation_id))
        if is_news and row.revision_count == 1:
            queue_mails(session, store.now(), row)
        return True


def replace_all(
    store: ControlStore, organization_id: str, stored: StoredSummary, text: WrittenText | None
) -> None:
    """Store a text in the place of all texts of a summary: they told of what was removed. Without a text, delete it."""
    with store.write_transaction(organization_id) as session:
        row = session.scalar(owned(Summary, organization_id, Summary.id == stored.id))
        if row is None:
            return
        if text is None:
            session.delete(row)
            return
        of_this = SummaryRevision.summary_id == row.id
        session.execute(delete(SummaryRevision).where(of_this))
        row.revision_count, row.scope_name = row.revision_count + 1, text.scope_name
        session.flush()
        session.add(_revision(store, row, text, operation_id=None))


def has_text_of(store: ControlStore, organization_id: str, key: SummaryKey, operation_id: str) -> bool:
    """Whether an operation has its text of this summary already."""
    with store.session() as session:
        row = _find(session, organization_id, key)
        return row is not None and operation_id in _operations_of(session, row.id)


def facts_of(store: ControlStore, organization_id: str, summary_id: str, number: int) -> SummaryRevision:
    """A stored text with its facts and document."""
    with store.session() as session:
        chosen = (SummaryRevision.summary_id == summary_id, SummaryRevision.number == number)
        return session.scalars(owned(SummaryRevision, organization_id, *chosen)).one()


def note_restatement(
    store: ControlStore,
    organization_id: str,
    stored: StoredSummary,
    build_id: str,
    facts_digest: str,
    changes: Sequence[dict[str, Any]],
) -> None:
    """Mark the newest text of a summary: a build has these other values for facts that it cites.

    Without changes the mark is removed: the facts are as they were. The text stays as it is.
    """
    with store.write_transaction(organization_id) as session:
        chosen = (SummaryRevision.summary_id == stored.id, SummaryRevision.number == stored.number)
        row = session.scalar(owned(SummaryRevision, organization_id, *chosen))
        if row is None:
            return
        row.facts_digest = facts_digest
        if list(changes) == row.restated_facts:
            return
        row.restated_facts = list(changes)
        row.restated_at = store.now() if changes else None
        row.restated_build_id = build_id if changes else None


def _find(session: Session, organization_id: str, key: SummaryKey) -> Summary | None:
    return session.scalar(
        owned(
            Summary,
            organization_id,
            Summary.scope_kind == key.scope_kind.value,
            Summary.scope_id == key.scope_id,
            Summary.period == key.period.value,
            Summary.period_start == key.period_start,
        )
    )


def _operations_of(session: Session, summary_id: str) -> set[str | None]:
    of_this = SummaryRevision.summary_id == summary_id
    return set(session.scalars(select(SummaryRevision.operation_id).where(of_this)))


def _revision(
    store: ControlStore, row: Summary, text: WrittenText, operation_id: str | None
) -> SummaryRevision:
    return SummaryRevision(
        summary_id=row.id,
        number=row.revision_count,
        organization_id=row.organization_id,
        generated_at=store.now(),
        build_id=text.build_id,
        calculation_version=text.calculation_version,
        context_version=text.context_version,
        facts=text.facts,
        document=text.document,
        facts_digest=text.facts_digest,
        written_by=text.written_by.value,
        model=text.model,
        prompt_version=text.prompt_version,
        input_hash=text.input_hash,
        failure=text.failure,
        answer=text.answer,
        tokens=None if text.tokens is None else dict(text.tokens),
        operation_id=operation_id,
        restated_facts=[],
    )


def _key(row: Summary) -> SummaryKey:
    return SummaryKey(
        ScopeKind(row.scope_kind), row.scope_id, Period(row.period), row.period_start, row.period_end
    )
