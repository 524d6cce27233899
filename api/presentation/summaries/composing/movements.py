"""What moved: the values outside of their usual range, the largest first.

The usual range is the lowest and highest of up to twelve periods of the same kind before; with fewer than four there is
none, and nothing moved.
"""

from collections.abc import Iterator, Set
from dataclasses import dataclass

from api.control.categories import CATEGORIES
from api.presentation.summaries.composing.sentences import Piece, noun
from api.presentation.summaries.document import number
from api.presentation.summaries.facts import Fact, Facts
from api.presentation.summaries.figures import NAMES
from api.presentation.summaries.values import is_told, rendered

# One long wait among fewer is the median or moves it.
LEAST_COUNTED = 5
_WORKING_HOURS = (" working hour", " working hours")


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure with a usual range: its name at the start of a sentence, and the unit after a value.

    `counted` is the noun of what a median is over.
    """

    fact_id: str
    name: str
    one: str = ""
    many: str = ""
    counted: tuple[str, str] | None = None


def _measure(fact_id: str, one: str = "", many: str = "", counted: tuple[str, str] | None = None) -> Measure:
    return Measure(fact_id, NAMES[fact_id], one, many, counted)


_PULL_REQUESTS = ("pull request", "pull requests")
ETV = Measure("etv", "Delivered", " ETV", " ETV")
MEASURES = (
    ETV,
    _measure("commits"),
    _measure("merged_pull_requests"),
    _measure("people"),
    *(Measure(f"category_share.{name}", f"Share of {name} in the ETV") for name in CATEGORIES),
    _measure("alignment"),
    _measure("rework_share"),
    _measure("performance"),
    _measure("pickup_hours", *_WORKING_HOURS, counted=_PULL_REQUESTS),
    _measure("cycle_hours", *_WORKING_HOURS, counted=_PULL_REQUESTS),
)
_CAUSES = {
    "changes": ("more file changes", "fewer file changes"),
    "size": ("larger changes", "smaller changes"),
    "mix": ("a mix of categories with more value", "a mix of categories with less value"),
    "rework": ("less work taken back", "more work taken back"),
    "value": ("more value per change", "less value per change"),
}
# Smallest part to name, in millionths of an ETV; it rounds to 0.1.
_NAMED_FROM = 50_000


@dataclass(frozen=True, slots=True)
class Movement:
    """A measure outside of its usual range. `distance` is how far, in widths of the range."""

    measure: Measure
    fact: Fact
    distance: float

    @property
    def side(self) -> str:
        """On which side of the range the value is."""
        return "above" if (self.fact.value_micro or 0) > (self.fact.high_micro or 0) else "below"


def movements(facts: Facts, apart: Set[str] = frozenset()) -> list[Movement]:
    """Every movement, the largest first, without the families in `apart`, which another section tells.

    Of the categories only one: what one gains, another loses.
    """
    found = sorted(
        (one for one in _all(facts) if one.fact.family not in apart), key=lambda one: -one.distance
    )
    first_category = next((one for one in found if one.fact.family == "category_share"), None)
    return [one for one in found if one.fact.family != "category_share" or one is first_category]


def has_range(fact: Fact | None) -> bool:
    """Whether a fact has a value and a usual range."""
    return fact is not None and None not in (fact.value_micro, fact.low_micro, fact.high_micro)


def is_outside(fact: Fact) -> bool:
    """Whether the value reads as another one than the end of its usual range, and lies beyond.

    A part of a period is held against no whole one.
    """
    value, low, high = fact.value_micro, fact.low_micro, fact.high_micro
    if fact.is_draft or value is None or low is None or high is None or not is_told(fact):
        return False
    end = "high" if value > high else "low" if value < low else None
    return end is not None and rendered(fact, "value") != rendered(fact, end)


def usual(fact: Fact) -> list[Piece]:
    """`3 to 9`, or `3` where both ends read alike."""
    low, high = number(fact, "low"), number(fact, "high")
    return [low] if low.rendered == high.rendered else [low, " to ", high]


def told(movement: Movement) -> list[Piece]:
    """`Merged pull requests: 14, above the usual 3 to 9`."""
    measure, fact = movement.measure, movement.fact
    unit = noun(fact, measure.one, measure.many)
    pieces: list[Piece] = [f"{measure.name}: ", number(fact), f"{unit}, {movement.side} the usual "]
    pieces += usual(fact)
    if measure.counted and fact.basis:
        pieces += [" (over ", number(fact, "basis"), f" {noun(fact, *measure.counted, field='basis')})"]
    return pieces


def cause(facts: Facts) -> list[Piece]:
    """The largest cause in words; empty without one."""
    largest = largest_cause(facts)
    return [f"{cause_name(largest)} (", number(largest), ")"] if largest else []


def largest_cause(facts: Facts) -> Fact | None:
    """The largest part of the difference of ETV from the period before, or None.

    It is a part in the direction of the difference: what worked against it is no cause.
    """
    etv = facts.known("etv")
    if etv is None or etv.value_micro is None or not etv.previous_micro:
        return None
    sign = 1 if etv.value_micro > etv.previous_micro else -1
    parts = [
        fact
        for fact in facts.all("cause")
        if fact.key in _CAUSES and sign * (fact.value_micro or 0) >= _NAMED_FROM
    ]
    return max(parts, key=lambda fact: sign * (fact.value_micro or 0), default=None)


def cause_name(fact: Fact) -> str:
    """A cause in words, by the sign of its value."""
    return _CAUSES[fact.key][0 if (fact.value_micro or 0) >= 0 else 1]


def is_cause(fact: Fact) -> bool:
    """Whether a fact is a cause that has words, and is large enough to name."""
    return fact.key in _CAUSES and abs(fact.value_micro or 0) >= _NAMED_FROM


def _all(facts: Facts) -> Iterator[Movement]:
    for measure in MEASURES:
        fact = facts.known(measure.fact_id)
        if fact is None or not is_outside(fact):
            continue
        if measure.counted and fact.basis is not None and fact.basis < LEAST_COUNTED:
            continue
        value, low, high = fact.value_micro or 0, fact.low_micro or 0, fact.high_micro or 0
        beyond = value - high if value > high else low - value
        yield Movement(measure, fact, beyond / max(high - low, abs(high) // 10, 1))
