"""Quality, CapEx, decisions and restatements of a month or quarter."""

from api.presentation.summaries.composing.causes import (
    OTHER,
    cause_of_headline,
    named_causes,
    rounds_apart,
)
from api.presentation.summaries.composing.movements import cause_name
from api.presentation.summaries.composing.sections import compared, section
from api.presentation.summaries.composing.sentences import Piece, listed, noun, sentence
from api.presentation.summaries.document import Section, Sentence, number, subject
from api.presentation.summaries.facts import Fact, Facts
from api.presentation.summaries.values import is_told, reads_as_more_than_nothing

# Of the value before: a smaller difference is what every period has.
_SMALLEST_DIFFERENCE = 0.1
# A number without a fact has no digits.
_WORDS = ("no", "one", "two", "three", "four", "five")
_DECISIONS = {
    "uncertain_commits": ("commit with an uncertain category", "commits with an uncertain category"),
    "merge_suggestions": (
        "pair of names that may be one person",
        "pairs of names that may be one person",
    ),
}


def other_causes(facts: Facts) -> Sentence | None:
    """The parts of a difference of ETV that the headline does not name; small ones are one part, so that the parts add
    up to the difference, but for rounding, which the sentence says.

    Against a period without work all of it is more, so that the parts say nothing.
    """
    etv = facts.known("etv")
    if etv is None or not etv.previous_micro or etv.is_draft:
        return None
    if abs((etv.value_micro or 0) - etv.previous_micro) < _SMALLEST_DIFFERENCE * etv.previous_micro:
        return None
    first, parts, others = cause_of_headline(facts), named_causes(facts), facts.get(OTHER)
    named: list[list[Piece]] = [[f"{cause_name(one)} (", number(one), ")"] for one in parts]
    if others is not None and others.basis:
        named.append([f"{_counted(others.basis)} (", number(others), ")"])
    if not named:
        return None
    one, many = ("Another part", "Other parts") if first else ("A part", "Parts")
    what = one if len(named) == 1 else many
    told = [one for one in (first, *parts, others) if one is not None]
    end = "; each figure is rounded by itself." if rounds_apart(etv, told) else "."
    return sentence(
        f"{what} of the difference of the ETV from the {etv.period} before: ", *listed(named), end
    )


def _counted(causes: int) -> str:
    return "one other cause" if causes == 1 else f"{_WORDS[causes]} other causes"


def quality(facts: Facts) -> list[Section]:
    """Rework, fixes of young changes, likely origins of bugs, and checks."""
    found: list[Sentence | None] = [
        _measured(facts, "rework_share", "Share of new work that was taken back: "),
        _fixes(facts),
    ]
    opened, ended = facts.known("checks_opened"), facts.known("checks_ended")
    if opened is not None and ended is not None and (opened.value_micro or ended.value_micro):
        found.append(
            sentence(
                "New findings of checks: ",
                number(opened),
                "; over: ",
                number(ended),
                ". A settled finding is over only when its cause is gone.",
            )
        )
    return section("How good was the work?", found)


def capex(facts: Facts) -> list[Section]:
    """Hours and shares by the build of the text. Signed figures are those of a lock, which no text knows."""
    share, hours = facts.known("capex_share"), facts.known("capex_hours")
    found: list[Sentence] = []
    if hours is not None and _is_more_than_nothing(facts, hours):
        found.append(sentence("Hours that can be capitalized: ", *compared(facts, hours), "."))
    if share is not None and is_told(share) and _is_more_than_nothing(facts, share):
        found.append(sentence("Share of the hours with output: ", *compared(facts, share), "."))
    return section("CapEx as calculated", found)


def decisions(facts: Facts) -> list[Section]:
    """What waits for a person."""
    return section("What needs a decision?", map(_decision, facts.all("decision")))


def restatements(facts: Facts) -> list[Section]:
    """The values that changed since the summary before."""
    return section("What was restated?", map(_restatement, facts.all("restatement")))


def _measured(facts: Facts, fact_id: str, words: str) -> Sentence | None:
    fact = facts.known(fact_id)
    if fact is None or not is_told(fact) or not _is_more_than_nothing(facts, fact):
        return None
    return sentence(words, *compared(facts, fact), ".")


def _is_more_than_nothing(facts: Facts, fact: Fact) -> bool:
    """Whether a value or what it is compared with reads as more than zero; that both are zero is no news."""
    mean = facts.known(f"three_months.{fact.fact_id}")
    return (
        reads_as_more_than_nothing(fact)
        or reads_as_more_than_nothing(fact, "previous")
        or (mean is not None and reads_as_more_than_nothing(mean))
    )


def _fixes(facts: Facts) -> Sentence | None:
    """Fixes of bugs, how many have a likely origin, and of how many that is young."""
    origins, young = facts.known("bug_origins"), facts.known("young_fixes")
    if origins is None or not origins.basis:
        return None
    pieces: list[Piece] = [
        "Fixes of bugs: ",
        number(origins, "basis"),
        "; with a likely origin: ",
        number(origins),
    ]
    if young is not None and young.basis:
        pieces += ["; of a change younger than thirty days: ", number(young)]
    return sentence(*pieces, ".")


def _decision(fact: Fact) -> Sentence | None:
    if not fact.value_micro:
        return None
    words = _DECISIONS.get(fact.key)
    if words is None:
        return sentence(f"{fact.key.replace('_', ' ').capitalize()}: ", number(fact), ".")
    return sentence(number(fact), f" {noun(fact, *words)}.")


def _restatement(fact: Fact) -> Sentence | None:
    if fact.value_micro is None:
        return None
    pieces: list[Piece] = [subject(fact)] if fact.subject_title else ["ETV"]
    pieces += [": ", number(fact)]
    if fact.previous_micro is not None:
        pieces += [", before ", number(fact, "previous")]
    return sentence(*pieces, ".")
