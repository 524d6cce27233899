"""The text that rules write from facts: deterministic, and good without any model."""

from collections.abc import Iterable

from api.presentation.summaries.composing import monthly, quarterly, weekly
from api.presentation.summaries.composing.fitting import fitted
from api.presentation.summaries.composing.periods import kind_of, label
from api.presentation.summaries.document import Document, Kind
from api.presentation.summaries.facts import Fact, Facts
from api.presentation.summaries.outside import one_line

COMPOSERS = {
    Kind.WEEKLY: weekly.sections,
    Kind.MONTHLY: monthly.sections,
    Kind.QUARTERLY: quarterly.sections,
}
# The whole text, with title and period.
MAX_WORDS = {Kind.WEEKLY: 250}


def compose(facts: Iterable[Fact], scope_name: str) -> Document:
    """The summary of the facts of one scope and period. Raises ValueError without any fact."""
    known = Facts(facts)
    first = next(iter(known), None)
    if first is None:
        raise ValueError("a summary needs at least one fact")
    kind = kind_of(first.period)
    document = Document(
        kind=kind,
        title=one_line(scope_name),
        period=label(first.period, first.period_start, first.period_end),
        is_draft=first.is_draft,
        sections=COMPOSERS[kind](known),
    )
    limit = MAX_WORDS.get(kind)
    return document if limit is None else fitted(document, limit)
