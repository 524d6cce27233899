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

    Measures of the families in `apart` have sections of their own.
    """
    etv = facts.known("etv")
    found = movements(facts, apart)
    if etv is None:
        return [sentence("No ETV is known.")], found
    largest = found[0] if found else None
    if largest is None:
        return [_usual(facts, etv, period)], []
    if largest.measure is ETV:
        return [_moved(facts, largest, period)], found[1:]
    rest = [one for one in found[1:] if one.measure is not ETV]
    second = next((one for one in found if one.measure is ETV), None)
    about_etv = _moved(facts, second, period) if second else _amount(facts, etv, period)
    return [sentence(*told(largest), "."), about_etv], rest


def _moved(facts: Facts, movement: Movement, period: str) -> Sentence:
    return sentence(*told(movement), *_before(facts, movement.fact, period))


def _usual(facts: Facts, etv: Fact, period: str) -> Sentence:
    if not has_range(etv):
        return sentence(*_delivered(facts, etv), *_before(facts, etv, period), *_no_range(period))
    usual_one: list[Piece] = [f"A usual {period}: ", number(etv), " ETV", *_from_commits(facts)]
    start = usual_one if etv.value_micro else _delivered(facts, etv)
    return sentence(*start, ", usually ", *usual(etv), *_before(facts, etv, period))


def _amount(facts: Facts, etv: Fact, period: str) -> Sentence:
    """How much was delivered, where something else is the news."""
    start = _delivered(facts, etv, with_commits=not _told_elsewhere(facts, "commits"))
    if has_range(etv):
        start += [", usually ", *usual(etv)]
    return sentence(*start, *_before(facts, etv, period))


def _delivered(facts: Facts, etv: Fact, *, with_commits: bool = True) -> list[Piece]:
    commits = facts.get("commits")
    if not etv.value_micro and not (commits and commits.value_micro):
        return ["Nothing was delivered"]
    return ["Delivered: ", number(etv), " ETV", *(_from_commits(facts) if with_commits else [])]


def _from_commits(facts: Facts) -> list[Piece]:
    commits = facts.known("commits")
    if commits is None:
        return []
    return [" from ", number(commits), noun(commits, " commit", " commits")]


def _told_elsewhere(facts: Facts, fact_id: str) -> bool:
    fact = facts.known(fact_id)
    return fact is not None and is_outside(fact)


def _before(facts: Facts, etv: Fact, period: str) -> list[Piece]:
    """The end of the sentence: the value of the period before, and the cause of the difference."""
    if etv.previous_micro is None:
        return ["."]
    pieces: list[Piece] = [f"; the {period} before had ", number(etv, "previous")]
    why = cause(facts)
    return [*pieces, "; the largest part of the difference: ", *why, "."] if why else [*pieces, "."]


def _no_range(period: str) -> list[Piece]:
    return [f" There are too few {period}s before to say what is usual."]
