"""Quality, CapEx, decisions and restatements of a month or quarter."""

from api.presentation.summaries.composing.movements import cause_name, is_cause, is_outside, largest_cause
from api.presentation.summaries.composing.sections import compared, section
from api.presentation.summaries.composing.sentences import Piece, listed, noun, sentence
from api.presentation.summaries.document import Section, Sentence, number, subject
from api.presentation.summaries.facts import Fact, Facts
from api.presentation.summaries.values import is_told, reads_as_more_than_nothing

# Of the value before: a smaller difference is what every period has. Of the largest part: a smaller one is not worth a
# word.
_SMALLEST_DIFFERENCE, _SMALLEST_PART = 0.1, 0.1
_DECISIONS = {
    "uncertain_commits": ("commit with an uncertain category", "commits with an uncertain category"),
    "merge_suggestions": (
        "pair of names that may be one person",
        "pairs of names that may be one person",
    ),
}


def other_causes(facts: Facts) -> Sentence | None:
    """The parts of a difference of ETV that the headline does not name, without those that are small beside others.

    Against a period without work all of it is more, so that the parts say nothing.
    """
    etv = facts.known("etv")
    if etv is None or not etv.previous_micro or etv.is_draft:
        return None
    if abs((etv.value_micro or 0) - etv.previous_micro) < _SMALLEST_DIFFERENCE * etv.previous_micro:
        return None
    first = largest_cause(facts) if is_outside(etv) else None
    causes = sorted(filter(is_cause, facts.all("cause")), key=lambda one: -abs(one.value_micro or 0))
    least = _SMALLEST_PART * abs(causes[0].value_micro or 0) if causes else 0
    parts = [one for one in causes if one is not first and abs(one.value_micro or 0) >= least]
    if not parts:
        return None
    named: list[list[Piece]] = [[f"{cause_name(one)} (", number(one), ")"] for one in parts]
    one, many = ("Another part", "Other parts") if first else ("A part", "Parts")
    what = one if len(named) == 1 else many
    return sentence(
        f"{what} of the difference of the ETV from the {parts[0].period} before: ", *listed(named), "."
    )


def quality(facts: Facts) -> list[Section]:
    """Rework, fixes of young changes, likely origins of bugs, and checks."""
    found: list[Sentence | None] = [
        _measured(facts, "rework_share", "Share of new work that was taken back: "),
        _fixes(facts),
    ]
    opened, ended = facts.known("checks_opened"), facts.known("checks_ended")
    if opened is not None and ended is not None and (opened.value_micro or ended.value_micro):
        found.append(sentence("Checks opened: ", number(opened), "; ended: ", number(ended), "."))
    return section("How good was the work?", found)


def capex(facts: Facts) -> list[Section]:
    """A preview: hours and shares are final only once the month is locked."""
    share, hours = facts.known("capex_share"), facts.known("capex_hours")
    found: list[Sentence] = []
    if hours is not None and _is_more_than_nothing(facts, hours):
        found.append(sentence("Hours that would be capitalized: ", *compared(facts, hours), "."))
    if share is not None and is_told(share) and _is_more_than_nothing(facts, share):
        found.append(sentence("Share of the hours: ", *compared(facts, share), "."))
    return section("CapEx preview", found)


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
