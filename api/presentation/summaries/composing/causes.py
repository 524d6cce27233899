"""The causes of a difference of ETV: parts that add up to it, and the small ones as one.

Facts stay as they were measured; a text whose rounded parts do not add up says so.

Keep out: sentences about them (headlines.py, outlook.py).
"""

from collections.abc import Iterable
from dataclasses import replace

from api.presentation.metrics import MICRO
from api.presentation.rounding import shown, shown_difference
from api.presentation.summaries.composing.movements import is_cause, is_outside, largest_cause
from api.presentation.summaries.facts import Fact, Facts

OTHER = "cause.other"
# Of the largest part: a smaller one is not worth a word of its own.
_SMALLEST_PART = 0.1


def with_other_cause(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """The facts, and the causes that no sentence names as one more, `cause.other`: its basis is their number."""
    given = tuple(facts)
    known = Facts(given)
    etv, causes = known.known("etv"), known.all("cause")
    if etv is None or etv.value_micro is None or etv.previous_micro is None or not causes:
        return given
    if known.get(OTHER) is not None or any(one.value_micro is None for one in causes):
        return given
    return (*given, *_other(known))


def rounds_apart(etv: Fact, told: Iterable[Fact]) -> bool:
    """Whether the causes that a text tells, each rounded, have another sum than the difference of its figures."""
    read = sum(shown((one.value_micro or 0) / MICRO) for one in told)
    moved = shown_difference((etv.value_micro or 0) / MICRO, (etv.previous_micro or 0) / MICRO)
    return shown(read) != moved


def named_causes(facts: Facts) -> list[Fact]:
    """The causes that a sentence names, the largest first; without the one that the headline has."""
    causes = sorted(filter(is_cause, facts.all("cause")), key=lambda one: -abs(one.value_micro or 0))
    least = _SMALLEST_PART * abs(causes[0].value_micro or 0) if causes else 0
    headline = cause_of_headline(facts)
    return [one for one in causes if one is not headline and abs(one.value_micro or 0) >= least]


def cause_of_headline(facts: Facts) -> Fact | None:
    """The cause that the first sentence names, if the ETV is its news."""
    etv = facts.known("etv")
    return largest_cause(facts) if etv is not None and is_outside(etv) else None


def _other(facts: Facts) -> Iterable[Fact]:
    """The causes that no sentence names as one fact; none where they read as nothing."""
    told = {one.fact_id for one in (cause_of_headline(facts), *named_causes(facts)) if one is not None}
    others = [one for one in facts.all("cause") if one.fact_id not in told and one.value_micro]
    total = sum(one.value_micro or 0 for one in others)
    if total:
        # Facts of no one have 0.
        people = [one.people for one in others if one.people]
        yield replace(
            others[0],
            fact_id=OTHER,
            position=max(one.position or 0 for one in facts.all("cause")) + 1,
            value_micro=total,
            basis=len(others),
            note="OTHER",
            people=min(people, default=None),
        )
