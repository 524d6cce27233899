"""What a reader may see of a document: nothing that stands for fewer people than the organization shows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import replace
from typing import Any, TypeVar

from api.presentation.summaries.document import (
    Cell,
    Chart,
    Document,
    Item,
    Number,
    Section,
    Sentence,
    Table,
    Text,
    parts_of,
)
from api.presentation.summaries.facts import Fact

T = TypeVar("T")
# A fact, and whether an end of its usual range is told.
Cited = tuple[str, bool]
_RANGE = frozenset({"low", "high"})
# Families of which the values add up to a total.
_PARTS = frozenset({"objective", "unaligned"})

HIDDEN = "Figures of fewer people than your organization's smallest group are not shown."
_HIDDEN_ITEMS = (Sentence((Text(HIDDEN),)),)


def visible(document: Document, facts: Iterable[Fact], minimum: int) -> Document:
    """The document without what cites facts of fewer than `minimum` people, and with a line that says so.

    Sentences, rows of tables and bars go one by one. Where one part of a total would be missing, a second one is left
    out, so that the total does not give it away. Facts about nobody (`people` is None) and facts of no one (0) stay.
    """
    told = list(facts)
    small = {
        (fact.fact_id, is_range) for fact in told if is_hidden(fact, minimum) for is_range in (False, True)
    }
    small |= {(fact.fact_id, True) for fact in told if _are_few(fact.usual_people, minimum)}
    sections = [replace(one, items=tuple(_shown(one.items, small))) for one in document.sections]
    if tuple(sections) == document.sections:
        return document
    kept = [one for one in sections if one.items]
    return replace(document, sections=(*kept, Section(None, _HIDDEN_ITEMS)))


def visible_restated(
    restated: Iterable[Mapping[str, Any]], facts: Iterable[Fact], minimum: int
) -> list[Mapping[str, Any]]:
    """The restated values of facts of enough people, before and after."""
    known = {fact.fact_id for fact in facts if not is_hidden(fact, minimum)}
    return [one for one in restated if one["factId"] in known and not _are_few(one.get("people"), minimum)]


def is_hidden(fact: Fact, minimum: int) -> bool:
    """Whether too few people stand behind a fact."""
    return _are_few(fact.people, minimum)


def of_enough_people(fact: Fact, minimum: int) -> Fact:
    """The fact without a usual range if too few people stand behind one of its periods."""
    few = _are_few(fact.usual_people, minimum)
    return replace(fact, low_micro=None, high_micro=None) if few else fact


def _are_few(people: int | None, minimum: int) -> bool:
    return people is not None and 0 < people < minimum


def has_nothing(document: Document) -> bool:
    """Whether a reader sees nothing of a document but that something is hidden."""
    return all(section.items == _HIDDEN_ITEMS for section in document.sections)


def _shown(items: tuple[Item, ...], small: Set[Cited]) -> Iterator[Item]:
    parts = [place for place, one in enumerate(items) if isinstance(one, Sentence) and _is_part(one)]
    kept = set(_without(tuple(parts), [_cited(items[place]) & small for place in parts]))
    for place, item in enumerate(items):
        if isinstance(item, Table):
            rows = _without(item.rows, [_cites(row) & small for row in item.rows])
            if rows:
                yield replace(item, rows=rows)
        elif isinstance(item, Chart):
            cited = [_cites([(*bar.name, bar.number)]) & small for bar in item.bars]
            if bars := _without(item.bars, cited):
                yield replace(item, bars=bars)
        elif place in kept or (place not in parts and not _cited(item) & small):
            yield item


def _is_part(sentence: Sentence) -> bool:
    """Whether a sentence tells a part of the ETV, which the others and the total would give away."""
    return any(one.partition(".")[0] in _PARTS for one, _ in _cited(sentence))


def _without(rows: tuple[T, ...], hidden: list[Set[Cited]]) -> tuple[T, ...]:
    places = {place for place, found in enumerate(hidden) if found}
    if len(places) == 1:
        # The last one is the smallest, or what is left over.
        places.add(max((place for place in range(len(rows)) if place not in places), default=0))
    return tuple(row for place, row in enumerate(rows) if place not in places)


def _cited(item: Item) -> Set[Cited]:
    return _cites([tuple(parts_of(item))])


def _cites(cells: Iterable[Cell]) -> Set[Cited]:
    return {
        (part.fact_id, isinstance(part, Number) and part.field in _RANGE)
        for cell in cells
        for part in cell
        if not isinstance(part, Text)
    }
