"""The weekly summary: at most 250 words for those who work on it."""

from itertools import islice

from api.presentation.summaries.composing.checks import open_checks
from api.presentation.summaries.composing.headlines import headline
from api.presentation.summaries.composing.movements import told
from api.presentation.summaries.composing.sections import ai_line, people_line, section, uncounted
from api.presentation.summaries.composing.sentences import Piece, noun, sentence
from api.presentation.summaries.composing.spend import spend_lines
from api.presentation.summaries.document import Section, Sentence, number, subject
from api.presentation.summaries.facts import Fact, Facts
from api.presentation.summaries.values import reads_as_more_than_nothing

MOVEMENTS, DELIVERIES = 3, 5
# Characters of a title; a whole one is a link away.
TITLE = 60
NAME = 40


def sections(facts: Facts) -> tuple[Section, ...]:
    """The sections of a weekly summary."""
    first, others = headline(facts, "week")
    return (
        *section(None, first),
        *section("What moved?", (sentence(*told(one), ".") for one in others[:MOVEMENTS])),
        *section("What needs a hand?", open_checks(facts, TITLE)),
        *_delivered(facts),
        *section(None, [ai_line(facts), *spend_lines(facts), people_line(facts, NAME)]),
        *uncounted(facts),
    )


def _delivered(facts: Facts) -> list[Section]:
    """By objective; without any, the largest deliveries."""
    objectives = [one for one in facts.all("objective") if reads_as_more_than_nothing(one)]
    if not objectives:
        deliveries = [one for one in facts.all("delivery") if reads_as_more_than_nothing(one)]
        return section(
            "What were the largest deliveries?", (_valued(one) for one in islice(deliveries, DELIVERIES))
        )
    unaligned = facts.known("unaligned")
    rest = (
        [sentence("Without an objective: ", number(unaligned), " ETV.")]
        if unaligned and unaligned.value_micro
        else []
    )
    return section(
        "What was delivered?", [*(_objective(facts, one) for one in objectives[:DELIVERIES]), *rest]
    )


def _valued(fact: Fact) -> Sentence:
    return sentence(subject(fact, TITLE), ": ", number(fact), " ETV.")


def _objective(facts: Facts, fact: Fact) -> Sentence:
    progress = facts.known(f"objective_progress.{fact.key}")
    pieces: list[Piece] = [subject(fact, TITLE), ": ", number(fact), " ETV"]
    if progress is not None and progress.basis:
        pieces += [
            "; ",
            number(progress),
            " of ",
            number(progress, "basis"),
            noun(progress, " issue", " issues", "basis"),
            " done",
        ]
    return sentence(*pieces, ".")
