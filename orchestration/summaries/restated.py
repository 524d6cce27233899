"""Marks stored summaries whose cited facts a newer build has otherwise. Their texts stay.

Keep out: writing texts (writing.py), changes of whole totals (publishing/restated_totals.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from api.control.store import ControlStore
from api.control.summaries import revisions
from api.control.summaries.revisions import StoredSummary
from api.presentation.summaries.document import Document, Number, parts_of
from api.presentation.summaries.facts import Fact, Facts
from api.presentation.summaries.values import rendered
from orchestration.summaries.build_facts import BuildFacts

# Kinds that say what is so now, such as decisions that wait: they change without a restatement.
OF_THE_PRESENT = ("decision.", "uncounted.", "objective_progress.", "objective_target.", "restatement.")


def mark(
    control: ControlStore, build: BuildFacts, attempt: Callable[[str], AbstractContextManager[None]]
) -> int:
    """Compare every stored summary within the horizon of the facts. Returns how many differ from their texts."""
    marked = 0
    for stored in revisions.stored_since(control, build.organization_id, build.horizon):
        if build.digests.get(stored.key, "") == stored.facts_digest:
            marked += stored.is_restated
            continue
        with attempt(build.title(stored.key)):
            marked += _compare(control, build, stored)
    return marked


def _compare(control: ControlStore, build: BuildFacts, stored: StoredSummary) -> bool:
    organization = build.organization_id
    text = revisions.facts_of(control, organization, stored.id, stored.number)
    before = [Fact.from_json(one) for one in text.facts]
    changes = list(differences(cited(Document.from_json(text.document)), before, build.facts(stored.key)))
    digest = build.digests.get(stored.key, "")
    revisions.note_restatement(control, organization, stored, build.build_id, digest, changes)
    return bool(changes)


def cited(document: Document) -> set[tuple[str, str]]:
    """The facts whose values a document shows: ids with the names of the fields."""
    items = (item for section in document.sections for item in section.items)
    parts = (part for item in items for part in parts_of(item))
    return {(part.fact_id, part.field) for part in parts if isinstance(part, Number)}


def differences(
    citations: Iterable[tuple[str, str]], before: Iterable[Fact], after: Iterable[Fact]
) -> Iterator[dict[str, Any]]:
    """The cited values that read otherwise now, in the order of the facts. A fact that is gone has null for each.

    `people` are the fewest who stand behind one of the two values; null where it is about nobody.

    Ids of facts in a list have places in it, which move: a fact is held against the one about the same thing.
    """
    earlier, later = Facts(before), Facts(after)
    were, are = _by_subject(earlier), _by_subject(later)
    for fact_id, name in sorted(citations):
        if fact_id.startswith(OF_THE_PRESENT):
            continue
        fact = earlier.get(fact_id)
        subject = None if fact is None else _subject(fact)
        is_one = subject is not None and len(were[subject]) == 1 and len(are.get(subject, ())) <= 1
        same = next(iter(are.get(subject, ())), None) if is_one else later.get(fact_id)
        was, now = _read(fact, name), _read(same, name)
        if was != now:
            people = [*_people(fact, name), *_people(same, name)]
            change = {"factId": fact_id, "field": name, "before": was, "after": now}
            yield change | {"people": min(people, default=None)}


def _subject(fact: Fact) -> tuple[str, str, str] | None:
    """What a fact says of which thing; None for a fact about the whole scope."""
    if fact.subject_id is None:
        return None
    return fact.kind, fact.subject_id, fact.key.partition(".")[2]


def _by_subject(facts: Facts) -> Mapping[tuple[str, str, str] | None, Sequence[Fact]]:
    found: dict[tuple[str, str, str] | None, list[Fact]] = {}
    for fact in facts:
        found.setdefault(_subject(fact), []).append(fact)
    return found


def _people(fact: Fact | None, name: str) -> list[int]:
    """How many stand behind a field; the ends of a usual range are values of other periods."""
    if fact is None:
        return []
    found = (fact.people, fact.usual_people if name in ("low", "high") else None)
    return [people for people in found if people]


def _read(fact: Fact | None, name: str) -> str | None:
    return None if fact is None else rendered(fact, name)
