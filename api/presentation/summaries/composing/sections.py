"""Sections that summaries of several kinds have."""

from collections.abc import Iterable

from api.presentation.summaries.composing.movements import is_outside, usual
from api.presentation.summaries.composing.sentences import Piece, listed, noun, sentence
from api.presentation.summaries.document import Item, Section, Sentence, number, subject
from api.presentation.summaries.facts import Fact, Facts

# What the numbers do not contain, by the key of the fact: the words after a count, for one and for many.
_UNCOUNTED = {
    "sandbox_repositories": ("sandbox repository", "sandbox repositories"),
    "excluded_repositories": ("excluded repository", "excluded repositories"),
    "imports": ("commit that waits as an import", "commits that wait as imports"),
    "unread_repositories": ("repository that could not be read", "repositories that could not be read"),
}


def section(heading: str | None, items: Iterable[Item | None]) -> list[Section]:
    """A section of the items that there are; none without any."""
    found = tuple(item for item in items if item is not None)
    return [Section(heading, found)] if found else []


def ai_line(facts: Facts) -> Sentence | None:
    """The share of AI in a line, or that no use was recorded."""
    fact = facts.get("ai_share")
    if fact is None:
        return None
    if fact.value_micro is None:
        return sentence("AI: no use is recorded.")
    if fact.basis is not None and fact.basis < 10:
        return sentence("AI: too few commits for a share.")
    pieces: list[Piece] = ["AI: ", number(fact), " of the ETV"]
    if is_outside(fact):
        pieces += [", usually ", *usual(fact)]
    elif fact.previous_micro is not None:
        pieces += [f"; the {fact.period} before had ", number(fact, "previous")]
    return sentence(*pieces, ".")


def people_line(facts: Facts, title_limit: int) -> Sentence | None:
    """Who joined and who left."""
    joined, left = facts.all("joined"), facts.all("left")
    pieces: list[Piece] = []
    for words, found in (("Joined: ", joined), ("Left: ", left)):
        if found:
            names: list[list[Piece]] = [[subject(one, title_limit)] for one in found]
            pieces += [" " if pieces else "", words, *listed(names), "."]
    return sentence(*pieces) if pieces else None


def uncounted(facts: Facts) -> list[Section]:
    """What the numbers do not contain."""
    return section("What is not in these numbers?", map(_uncounted, facts.all("uncounted")))


def _uncounted(fact: Fact) -> Sentence | None:
    if fact.on_date is not None:
        return sentence("Values are provisional until ", number(fact, "on_date"), ".")
    if not fact.value_micro:
        return None
    words = _UNCOUNTED.get(fact.key)
    if words is None:
        return sentence(f"{fact.key.replace('_', ' ').capitalize()}: ", number(fact), ".")
    return sentence(number(fact), f" {noun(fact, *words)}.")
