"""Sections that summaries of several kinds have."""

from collections.abc import Iterable

from api.presentation.summaries.composing.movements import is_outside, usual
from api.presentation.summaries.composing.sentences import Piece, listed, noun, sentence
from api.presentation.summaries.document import Item, Section, Sentence, number, subject
from api.presentation.summaries.facts import Fact, Facts
from api.presentation.summaries.notes import MISSING
from api.presentation.summaries.values import is_told

# What the numbers do not contain, by the key of the fact: the words after a count, for one and for many.
_UNCOUNTED = {
    "sandbox_repositories": ("sandbox repository", "sandbox repositories"),
    "excluded_repositories": ("excluded repository", "excluded repositories"),
    "unread_repositories": ("repository that could not be read", "repositories that could not be read"),
    "incomplete_repositories": (
        "repository of which a part of the history is missing",
        "repositories of which a part of the history is missing",
    ),
    "commits_left_out_by_hand": ("commit excluded by hand", "commits excluded by hand"),
    "commits_of_excluded_repositories": (
        "commit of an excluded repository",
        "commits of excluded repositories",
    ),
    "commits_before_the_start_date": (
        "commit from before the start of the analysis",
        "commits from before the start of the analysis",
    ),
    "commits_over_the_plan": ("commit that waits for a plan", "commits that wait for a plan"),
    "commits_of_bots": ("commit of a bot", "commits of bots"),
    "commits_of_imported_code": ("commit that imports code", "commits that import code"),
    "imports": ("commit that may be an import and waits", "commits that may be imports and wait"),
    "commits_of_copied_repositories": (
        "commit that copies another repository",
        "commits that copy another repository",
    ),
}


def section(heading: str | None, items: Iterable[Item | None]) -> list[Section]:
    """A section of the items that there are; none without any."""
    found = tuple(item for item in items if item is not None)
    return [Section(heading, found)] if found else []


def ai_line(facts: Facts) -> Sentence | None:
    """The share of AI in a line, or that no use was recorded; nothing where nothing was delivered."""
    fact = facts.get("ai_share")
    if fact is None or fact.note == "NO_OUTPUT":
        return None
    if fact.value_micro is None:
        return sentence(
            "AI: no commit shows its use." if facts.known("ai_spend") else "AI: no use is recorded."
        )
    if not is_told(fact):
        return sentence("AI: too few commits for a share.")
    if fact.value_micro == 0:
        # At least nothing would say nothing.
        return sentence("AI: no commit has a sign of it", *before(facts, fact), ".")
    # Lower bounds are no usual range, and periods without recorded use have no value.
    return sentence("AI: ", number(fact), " of the ETV, by signs in commits", *before(facts, fact), ".")


def compared(facts: Facts, fact: Fact) -> list[Piece]:
    """A value, and what it is held against: its usual range if it is outside, and the mean or value before."""
    pieces: list[Piece] = [number(fact)]
    if is_outside(fact):
        side = "above" if (fact.value_micro or 0) > (fact.high_micro or 0) else "below"
        pieces += [f", {side} the usual ", *usual(fact)]
    return [*pieces, *before(facts, fact)]


def before(facts: Facts, fact: Fact) -> list[Piece]:
    """The mean of the three months before a month, else the value of the period before; nothing for a draft."""
    mean = facts.known(f"three_months.{fact.fact_id}")
    if fact.is_draft:
        return []
    if fact.period == "month" and mean is not None and is_told(mean):
        return ["; on average in the three months before: ", number(mean)]
    if fact.previous_micro is not None:
        return [f"; the {fact.period} before: ", number(fact, "previous")]
    return []


def people_line(facts: Facts, title_limit: int) -> Sentence | None:
    """The people who joined and left: some names, and the number of all where it is larger."""
    pieces: list[Piece] = []
    for words, found in (("New people: ", facts.all("joined")), ("Left: ", facts.all("left"))):
        if found:
            # Two people of one name read as a slip.
            named: dict[str, list[Piece]] = {}
            for one in found:
                person = subject(one, title_limit)
                named.setdefault(person.label, [person])
            names = list(named.values())
            is_part = (found[0].basis or 0) > len(names)
            all_of_them: list[Piece] = [" (", number(found[0], "basis"), " in all)"] if is_part else []
            pieces += [" " if pieces else "", words, *listed(names), *all_of_them, "."]
    return sentence(*pieces) if pieces else None


def uncounted(facts: Facts) -> list[Section]:
    """What the numbers do not contain, and which may still change."""
    etv = facts.known("etv")
    missing = [_uncounted(one) for one in facts.all("uncounted") if one.key != "provisional"]
    provisional = facts.get("uncounted.provisional")
    return section(MISSING, [*missing, _provisional(provisional, etv)])


def _uncounted(fact: Fact) -> Sentence | None:
    if not fact.value_micro:
        return None
    words = _UNCOUNTED.get(fact.key)
    if words is None:
        return sentence(f"{fact.key.replace('_', ' ').capitalize()}: ", number(fact), ".")
    return sentence(number(fact), f" {noun(fact, *words)}.")


def _provisional(fact: Fact | None, etv: Fact | None) -> Sentence | None:
    """Value that its authors may still take back. That of a new week is all of it, which needs no second number."""
    if fact is None or fact.on_date is None or not fact.value_micro:
        return None
    is_all = etv is not None and etv.value_micro is not None and fact.value_micro >= etv.value_micro
    start: list[Piece] = ["All of the ETV"] if is_all else [number(fact), " ETV"]
    return sentence(
        *start, " may change until ", number(fact, "on_date"), ", because work can be taken back."
    )
