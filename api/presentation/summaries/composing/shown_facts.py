"""Facts whose parts add up as they are shown: causes of a difference, categories of an objective, and their shares.

Keep out: how parts are rounded (presentation/rounding.py).
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from api.control.categories import CATEGORIES
from api.presentation.metrics import MICRO
from api.presentation.rounding import shown_parts, shown_shares
from api.presentation.summaries.composing.causes import with_shown_causes
from api.presentation.summaries.facts import Fact, Facts

# Equal parts of shared commits are rounded each to a millionth.
_SAME = MICRO // 1000


def as_shown(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    """The facts, with parts that add up to what is shown beside them."""
    given = with_shown_causes(facts)
    known = Facts(given)
    rounded = _shares(known)
    for objective in known.all("objective"):
        parts = [
            one
            for one in known.all("objective_category")
            if one.key.partition(".")[0] == objective.key and one.value_micro is not None
        ]
        rounded |= _parts_of(objective, parts)
    return tuple(rounded.get(one.fact_id, one) for one in given)


def _shares(known: Facts) -> dict[str, Fact]:
    """The shares of the categories by id, also those before, so that they add up to 100 %."""
    found: dict[str, Fact] = {}
    for kind in ("category_share", "three_months.category_share"):
        facts = [one for name in CATEGORIES if (one := known.known(f"{kind}.{name}")) is not None]
        values = _added_up([one.value_micro for one in facts])
        before = _added_up([one.previous_micro for one in facts])
        for one, value, previous in zip(facts, values, before, strict=True):
            found[one.fact_id] = replace(one, value_micro=value, previous_micro=previous)
    return found


def _added_up(micros: Sequence[int | None]) -> Sequence[int | None]:
    known = [one for one in micros if one is not None]
    if len(known) < len(micros):
        return micros
    return [round(share * MICRO) for share in shown_shares([one / MICRO for one in known])]


def _parts_of(whole: Fact, parts: list[Fact]) -> dict[str, Fact]:
    """The categories of one objective by id, so that they add up to its ETV; none where they are not all of it."""
    values = [one.value_micro or 0 for one in parts]
    if whole.value_micro is None or abs(sum(values) - whole.value_micro) > _SAME:
        return {}
    shown = shown_parts([value / MICRO for value in values], whole.value_micro / MICRO)
    return {
        one.fact_id: replace(one, value_micro=round(part * MICRO))
        for one, part in zip(parts, shown, strict=True)
    }
