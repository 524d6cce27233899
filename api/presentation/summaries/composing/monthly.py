"""The monthly summary: one or two pages for those who steer."""

from api.presentation.summaries.composing.effort import alignment, by_category, categories, deliveries
from api.presentation.summaries.composing.headlines import headline
from api.presentation.summaries.composing.movements import told
from api.presentation.summaries.composing.outlook import capex, decisions, other_causes, quality, restatements
from api.presentation.summaries.composing.sections import ai_line, people_line, section, uncounted
from api.presentation.summaries.composing.sentences import sentence
from api.presentation.summaries.composing.spend import spend
from api.presentation.summaries.document import Section
from api.presentation.summaries.facts import Facts
from api.presentation.summaries.outside import MAX_TITLE
from api.presentation.summaries.values import reads_as_more_than_nothing

MOVEMENTS = 5
# A page has room for so many; the quarterly report has all.
OBJECTIVES = 10
# Measures that have sections of their own.
APART = frozenset({"alignment", "category_share", "rework_share"})


def sections(facts: Facts) -> tuple[Section, ...]:
    """The sections of a monthly summary."""
    ai = spend(facts)
    first, others = headline(facts, "month", APART)
    objectives = [one for one in facts.all("objective") if reads_as_more_than_nothing(one)][:OBJECTIVES]
    moved = (sentence(*told(one), ".") for one in others[:MOVEMENTS])
    return (
        *section(None, first),
        *section("Where did the effort go?", [*categories(facts), *by_category(facts, objectives)]),
        *alignment(facts),
        *([] if objectives else deliveries(facts)),
        *section("What moved, and why?", [other_causes(facts), *moved]),
        *quality(facts),
        *(ai or section(None, [ai_line(facts)])),
        *section(None, [people_line(facts, MAX_TITLE)]),
        *capex(facts),
        *decisions(facts),
        *restatements(facts),
        *uncounted(facts),
    )
