"""Stored summaries of the invented organization, with the facts that they were made of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import date, timedelta
from typing import Any

from api.control.store import ControlStore
from api.control.summaries import revisions
from api.control.summaries.kinds import Period, ScopeKind, SummaryKey, WrittenText
from api.presentation.summaries.composing import compose
from api.presentation.summaries.facts import Fact
from tests.api.published_facts import ORGANIZATION, Facts

MONDAY = date(2026, 11, 9)
MICRO = 1_000_000


def key_of(
    kind: ScopeKind = ScopeKind.ORGANIZATION, scope: str = ORGANIZATION, start: date = MONDAY
) -> SummaryKey:
    """A week."""
    return SummaryKey(kind, scope, Period.WEEK, start, start + timedelta(days=6))


def fact_of(
    key: SummaryKey, fact_id: str, value: float, people: int, *, is_draft: bool = False, **more: object
) -> Fact:
    """A fact of a summary, in ETV unless `more` has another unit."""
    return Fact.from_row(
        {
            "scope_kind": key.scope_kind.name, "scope_id": key.scope_id, "period": key.period.value,
            "period_start": key.period_start, "period_end": key.period_end, "is_draft": is_draft,
            "fact_id": fact_id, "kind": fact_id.partition(".")[0], "position": 1, "unit": "ETV",
            "value_micro": round(value * MICRO), "people": people, "calculation_version": "0.6.0",
        }
        | more
    )  # fmt: skip


def facts_of(key: SummaryKey, etv: float = 41.7, people: int = 5, *, is_draft: bool = False) -> list[Fact]:
    """Facts of a week: the value, and a delivery of one person."""
    return [
        fact_of(
            key, "etv", etv, people, is_draft=is_draft, previous_micro=30 * MICRO, low_micro=20 * MICRO,
            high_micro=35 * MICRO, basis=12,
        ),
        fact_of(
            key, "delivery.1", 17.5, 1, is_draft=is_draft, kind="delivery", subject_type="PULL_REQUEST",
            subject_id="p1", subject_title="Keep tokens <b>over</b> a republish", subject_reference="#417",
            url="https://git.example/acme/web/pull/417", basis=1,
        ),
    ]  # fmt: skip


def draft_rows(facts: Facts) -> list[dict[str, Any]]:
    """Rows of the mart of facts: the running week of the organization, each team and each repository."""
    return [asdict(fact) for key in running(facts) for fact in facts_of(key, is_draft=True)]


def running(facts: Facts) -> Iterator[SummaryKey]:
    """The running week of every scope."""
    scopes = [(ScopeKind.ORGANIZATION, ORGANIZATION)]
    scopes += [(ScopeKind.TEAM, key) for key in facts.teams]
    scopes += [(ScopeKind.REPOSITORY, key) for key in facts.repositories]
    for kind, scope in scopes:
        yield key_of(kind, scope, MONDAY + timedelta(weeks=1))


def text_of(facts: Sequence[Fact], *, build: str = "b1", name: str = "Acme") -> WrittenText:
    """The text of rules about facts."""
    return WrittenText(
        scope_name=name,
        build_id=build,
        calculation_version="0.6.0",
        context_version=0,
        facts=[fact.to_json() for fact in facts],
        document=compose(facts, name).to_json(),
        facts_digest=build,
    )


def put(
    store: ControlStore,
    key: SummaryKey,
    *,
    name: str = "Acme",
    etv: float = 41.7,
    people: int = 5,
    more: Sequence[Fact] = (),
) -> str:
    """Store a summary; its id."""
    facts = [*facts_of(key, etv, people), *more]
    assert revisions.store_first(store, ORGANIZATION, key, text_of(facts, name=name))
    found = revisions.stored_since(store, ORGANIZATION, {key.period: key.period_start})
    return next(one.id for one in found if one.key == key)
