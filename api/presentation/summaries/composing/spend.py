"""What AI tools cost: in a line of a week, and in a section of a month or quarter.

Nothing is said where no source of usage is connected. Amounts of two currencies are never added.
"""

from __future__ import annotations

from collections.abc import Iterator

from api.presentation.summaries.composing.sections import ai_line, compared, section
from api.presentation.summaries.composing.sentences import Piece, listed, sentence
from api.presentation.summaries.document import Number, Section, Sentence, number
from api.presentation.summaries.facts import Fact, Facts
from api.presentation.summaries.values import is_told, reads_as_more_than_nothing

_DOLLARS = "USD"


def spend_lines(facts: Facts) -> list[Sentence]:
    """`AI spend: $412, above the usual $120 to $380; the week before: $350.`, and what no known person spent.

    Each amount is a sentence of its own, because few people may stand behind one of them.
    """
    return [sentence(*found, ".") for found in _amounts(facts)]


def spend(facts: Facts) -> list[Section]:
    """A section of spend, cost of an ETV and use; none where nothing was spent."""
    amounts = spend_lines(facts)
    if not amounts:
        return []
    found = [ai_line(facts), *amounts, _unit_cost(facts), _users(facts)]
    return section("What did AI bring, and what did it cost?", found)


def _amounts(facts: Facts) -> Iterator[list[Piece]]:
    """Spend of known people, of nobody who is known, and of other currencies, each without its full stop."""
    known = facts.known("ai_spend")
    has_known = False
    if known is not None and _is_some(known):
        has_known = True
        yield ["AI spend: ", *_money(known, compared(facts, known))]
    unknown = facts.known("ai_spend_unattributed")
    if unknown is not None and reads_as_more_than_nothing(unknown):
        # It is no part of the amount before it.
        named = "Further AI spend" if has_known else "AI spend"
        yield [f"{named} without a known person: ", *_money(unknown, [number(unknown)])]
    others = [one for one in facts.all("ai_spend_other") if reads_as_more_than_nothing(one)]
    if others:
        yield ["AI spend in other currencies: ", *listed(_money(one, [number(one)]) for one in others)]


def _money(fact: Fact, pieces: list[Piece]) -> list[Piece]:
    """The pieces of a comparison with the currency at each amount: `$412`, as on pages, and `412 EUR`."""
    is_before = fact.unit == _DOLLARS and (fact.value_micro or 0) >= 0
    found: list[Piece] = []
    for piece in pieces:
        if not isinstance(piece, Number):
            found.append(piece)
        else:
            found += ["$", piece] if is_before else [piece, f" {fact.unit}"]
    return found


def _is_some(fact: Fact) -> bool:
    return reads_as_more_than_nothing(fact) or reads_as_more_than_nothing(fact, "previous")


def _unit_cost(facts: Facts) -> Sentence | None:
    fact = facts.known("ai_unit_cost")
    if fact is None or not reads_as_more_than_nothing(fact):
        return None
    return sentence("AI spend per total ETV: ", *_money(fact, compared(facts, fact)), ".")


def _users(facts: Facts) -> Sentence | None:
    """How many of those who delivered used a tool: a count, because a percentage of few people says little."""
    fact = facts.known("ai_users")
    if fact is None or not fact.basis or not is_told(fact):
        return None
    return sentence(
        "People with recorded use of AI tools: ", number(fact), " of ", number(fact, "basis"), " who delivered",
        *_users_before(fact), ".",
    )  # fmt: skip


def _users_before(fact: Fact) -> list[Piece]:
    if fact.is_draft or fact.previous_micro is None or fact.previous_micro == fact.value_micro:
        return []
    return [f"; the {fact.period} before: ", number(fact, "previous")]
