"""The parts of a summary that rules always write: lists that people act on, money, and what the numbers do not contain.

A model that forgets one of them would hide it.
"""

from __future__ import annotations

from collections.abc import Iterable

from api.presentation.summaries.document import Chart, Document, Item, Section, Table, Text, parts_of
from api.presentation.summaries.facts import Fact

# Amounts of two currencies, and those of nobody who is known, must not be taken for a part of one another.
_MONEY = ("ai_spend", "ai_unit_cost", "ai_users", "ai_spend_unattributed", "ai_spend_other")
FAMILIES = frozenset(
    {"check_open", "check_open_kind", "decision", "joined", "left", "restatement", "uncounted", *_MONEY}
)


def kept_sections(composed: Document) -> tuple[Section, ...]:
    """The sections after the first one that stay as the rules wrote them, also all with a table or a chart."""
    return tuple(one for one in composed.sections[1:] if any(map(_is_kept, one.items)))


def for_the_model(facts: Iterable[Fact], composed: Document, minimum: int) -> list[Fact]:
    """The facts that a model may tell: none of a kept part, of too few people, or of a person."""
    told = {fact_id for one in kept_sections(composed) for item in one.items for fact_id in _cited(item)}
    return [
        fact
        for fact in facts
        if fact.fact_id not in told
        and fact.family not in FAMILIES
        and fact.subject_type != "DEVELOPER"
        and not (fact.people is not None and 0 < fact.people < minimum)
    ]


def _is_kept(item: Item) -> bool:
    if isinstance(item, Table | Chart):
        return True
    return any(fact_id.partition(".")[0] in FAMILIES for fact_id in _cited(item))


def _cited(item: Item) -> set[str]:
    return {part.fact_id for part in parts_of(item) if not isinstance(part, Text)}
