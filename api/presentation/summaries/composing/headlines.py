"""The first sentences of a summary: the largest movement with its cause, or that the period was as usual."""

from collections.abc import Set

from api.presentation.summaries.composing.movements import (
    ETV,
    Movement,
    cause,
    has_range,
    is_outside,
    movements,
    told,
    usual,
)
from api.presentation.summaries.composing.sentences import Piece, noun, sentence
from api.presentation.summaries.document import Sentence, number
from api.presentation.summaries.facts import Fact, Facts


def headline(
    facts: Facts, period: str, apart: Set[str] = frozenset()
) -> tuple[list[Sentence], list[Movement]]:
    """The sentences, and the movements that they do not tell. `period` is the noun: week, month, quarter.

    A movement of the ETV comes first, because it alone has a cause. Measures of the families in `apart` have sections
    of their own.
    """
    etv = facts.known("etv")
    found = movements(facts, apart)
    if etv is None:
        return [sentence("No ETV is known.")], found
    if etv.is_draft:
        return [sentence(*_delivered(facts, etv, " so far"), ".")], []
    if not found:
        # A week of an unusual spend, which is told beside the share of AI, is no usual week.
        spend = facts.known("ai_spend")
        is_usual = spend is None or not is_outside(spend) or not has_range(etv)
        return [_as_usual(facts, etv, period) if is_usual else _amount(facts, etv, period)], []
    moved = next((one for one in found if one.measure is ETV), None)
    rest = [one for one in found if one is not moved]
    if moved is not None:
        nothing: list[Piece] = ["Nothing was delivered, below the usual ", *usual(etv), " ETV"]
        start = told(moved) if _is_some(facts, etv) else nothing
        return [sentence(*start, ".", *_why(facts, etv, period))], rest
    # A rank among all developers follows the ETV and is no news of its own. The share of a category says little of a
    # period without its size.
    first = next((one for one in rest if one.fact.family not in ("performance", "category_share")), None)
    about_etv = _amount(facts, etv, period)
    if first is None:
        return [about_etv], rest
    return [sentence(*told(first), "."), about_etv], [one for one in rest if one is not first]


def _as_usual(facts: Facts, etv: Fact, period: str) -> Sentence:
    if not has_range(etv):
        few = f" There are too few {period}s before to say what is usual."
        hidden = f" The usual range is hidden, because too few people stand behind some {period}s before."
        why = few if etv.usual_people is None else hidden
        return sentence(*_delivered(facts, etv), *_before(etv, period), ".", why)
    if not _is_some(facts, etv):
        return _amount(facts, etv, period)
    start: list[Piece] = [f"A usual {period}: ", number(etv), " ETV", *_from_commits(facts), ", usually "]
    return sentence(*start, *usual(etv), *_before(etv, period), ".")


def _amount(facts: Facts, etv: Fact, period: str) -> Sentence:
    """How much was delivered, where it is not the news."""
    unit = "" if _is_some(facts, etv) else " ETV"
    return sentence(
        *_delivered(facts, etv),
        *([", usually ", *usual(etv), unit] if has_range(etv) else []),
        *_before(etv, period),
        ".",
    )


def _delivered(facts: Facts, etv: Fact, when: str = "") -> list[Piece]:
    if not _is_some(facts, etv):
        return [f"Nothing was delivered{when}"]
    return [f"Delivered{when}: ", number(etv), " ETV", *_from_commits(facts)]


def _is_some(facts: Facts, etv: Fact) -> bool:
    commits = facts.known("commits")
    return bool(etv.value_micro or (commits and commits.value_micro))


def _from_commits(facts: Facts) -> list[Piece]:
    """From how many commits; nothing where that is a movement, which is told with its range."""
    commits = facts.known("commits")
    if commits is None or is_outside(commits):
        return []
    return [" from ", number(commits), noun(commits, " commit", " commits")]


def _before(etv: Fact, period: str) -> list[Piece]:
    return [] if etv.previous_micro is None else [f"; the {period} before: ", number(etv, "previous")]


def _why(facts: Facts, etv: Fact, period: str) -> list[Piece]:
    """What makes the difference from the period before, which may be another one than that from what is usual."""
    if etv.previous_micro is None:
        return []
    why = cause(facts)
    before: list[Piece] = [f" The {period} before: ", number(etv, "previous")]
    return [*before, "; largest cause of the difference: ", *why, "."] if why else [*before, "."]
