"""What needs a hand: open occurrences of checks, one sentence for each thing."""

from collections.abc import Iterator

from api.presentation.checks import check_kinds
from api.presentation.summaries.composing.sentences import Piece, noun, sentence
from api.presentation.summaries.document import Sentence, number, subject
from api.presentation.summaries.facts import Fact, Facts
from api.presentation.summaries.values import is_told, rendered

MOST = 5
# What follows a value, for one and for many, by the unit of the kind; units of facts come after those of kinds.
_UNITS = {
    "lines": (" line", " lines"),
    "rounds": (" round", " rounds"),
    "multiple": (" times the usual", " times the usual"),
    "pull_requests": (" pull request", " pull requests"),
    "ETV": (" ETV", " ETV"),
    "WORKING_HOURS": (" working hour", " working hours"),
    "WORKING_DAYS": (" working day", " working days"),
    "HOURS": (" hour", " hours"),
    "DAYS": (" day", " days"),
    "USD": (" USD", " USD"),
}


def open_checks(facts: Facts, title_limit: int) -> list[Sentence]:
    """The things with the most critical open checks, and how many checks there are; nothing where nothing is checked.

    An event of an earlier period is counted and not told again: its own summary named it.
    """
    told = [
        one
        for one in facts.all("check_open")[:MOST]
        if one.on_date is None or one.on_date >= one.period_start
    ]
    things: dict[tuple[str | None, str | None], list[Fact]] = {}
    for one in told:
        things.setdefault((one.subject_type, one.subject_id or one.fact_id), []).append(one)
    limits: set[tuple[str, str]] = set()
    found = [_thing(facts, checks, title_limit, limits) for checks in things.values()]
    still, opened, ended = (facts.known(f"checks_{name}") for name in ("open", "opened", "ended"))
    if still is None or opened is None or ended is None:
        return found
    if not (still.value_micro or opened.value_micro or ended.value_micro):
        return []
    counts = sentence(
        "Findings of checks that last, settled ones too: ",
        number(still),
        ". New: ",
        number(opened),
        "; over: ",
        number(ended),
        ".",
    )
    return [*found, counts]


def _thing(facts: Facts, checks: list[Fact], title_limit: int, limits: set[tuple[str, str]]) -> Sentence:
    """`Large pull request: Mend the parser (web#12), 900 lines (limit 400); next: author.`, and its further checks."""
    pieces: list[Piece] = []
    for place, one in enumerate(checks):
        kind = facts.get(f"check_open_kind.{one.key}")
        pieces += [" "] if place else []
        pieces += [subject(kind)] if kind is not None else []
        if not place:
            pieces += [": "] if kind is not None else []
            pieces += [subject(one, title_limit)]
        pieces += _measured(one, kind, ", " if not place and kind is not None else ": ", limits)
        pieces += ["."]
    return sentence(*pieces)


def _measured(fact: Fact, kind: Fact | None, start: str, limits: set[tuple[str, str]]) -> Iterator[Piece]:
    """The value with its unit, the limit and who acts next; what is the same for a kind is told once."""
    if is_told(fact):
        yield start
        yield number(fact)
        yield noun(fact, *_unit(fact, kind))
    same = (kind.subject_id or "", rendered(kind, "value")) if kind is not None else None
    if same is not None and same in limits:
        return
    if same is not None:
        limits.add(same)
    if kind is not None and is_told(kind) and is_told(fact):
        yield " (limit "
        yield number(kind)
        yield ")"
    if fact.note:
        yield f"; next: {fact.note.replace('_', ' ').lower()}"


def _unit(fact: Fact, kind: Fact | None) -> tuple[str, str]:
    known = check_kinds().get(kind.subject_id or "") if kind is not None else None
    return _UNITS.get(known.unit if known else "") or _UNITS.get(fact.unit or "") or ("", "")
