"""The quarterly report: every objective, and the quarter beside earlier ones."""

from api.presentation.summaries.composing.effort import (
    alignment,
    categories,
    chart,
    deliveries,
    every_objective,
)
from api.presentation.summaries.composing.headlines import headline
from api.presentation.summaries.composing.movements import told
from api.presentation.summaries.composing.outlook import capex, decisions, other_causes, quality, restatements
from api.presentation.summaries.composing.sections import ai_line, people_line, section, uncounted
from api.presentation.summaries.composing.sentences import Piece, sentence
from api.presentation.summaries.composing.spend import spend
from api.presentation.summaries.document import Chart, Section
from api.presentation.summaries.facts import Fact, Facts
from api.presentation.summaries.outside import MAX_TITLE

MOVEMENTS = 5
# Measures that have sections of their own.
APART = frozenset({"alignment", "category_share", "rework_share"})
_EARLIER = ("The quarter before", "Two quarters before", "Three quarters before", "Four quarters before")


def sections(facts: Facts) -> tuple[Section, ...]:
    """The sections of a quarterly report."""
    ai = spend(facts)
    first, others = headline(facts, "quarter", APART)
    table = every_objective(facts)
    moved = (sentence(*told(one), ".") for one in others[:MOVEMENTS])
    return (
        *section(None, first),
        *section("How does it compare with earlier quarters?", [_quarters(facts)]),
        *section("Where did the effort go?", categories(facts)),
        *alignment(facts),
        *(section("What became of the objectives?", [table]) if table else deliveries(facts)),
        *section("What moved, and why?", [other_causes(facts), *moved]),
        *quality(facts),
        *(ai or section(None, [ai_line(facts)])),
        *section(None, [people_line(facts, MAX_TITLE)]),
        *capex(facts),
        *decisions(facts),
        *restatements(facts),
        *uncounted(facts),
    )


def _quarters(facts: Facts) -> Chart | None:
    """This quarter and those before as bars; the first repeats the headline, as what the others are held against."""
    etv = facts.known("etv")
    earlier = zip(_EARLIER, facts.all("etv_quarter"), strict=False)
    rows: list[tuple[Piece, Fact]] = [("This quarter", etv)] if etv else []
    return chart("Quarter", "ETV", [*rows, *earlier])
