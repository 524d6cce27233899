"""Where the effort went: categories, objectives, and what reaches none of them."""

from collections.abc import Iterable

from api.control.categories import CATEGORIES
from api.presentation.metrics import MICRO
from api.presentation.rounding import rounding_note
from api.presentation.summaries.composing.sections import compared, section
from api.presentation.summaries.composing.sentences import Piece, cell, listed, sentence
from api.presentation.summaries.document import (
    Bar,
    Cell,
    Chart,
    Item,
    Section,
    Sentence,
    Table,
    number,
    subject,
)
from api.presentation.summaries.facts import Fact, Facts
from api.presentation.summaries.values import is_told, reads_as_more_than_nothing

# A number without a fact has no digits.
_ROUNDED = "Each figure is rounded by itself."


def chart(title: str, unit: str, rows: Iterable[tuple[Piece, Fact]]) -> Chart | None:
    """Bars of facts under their names; None for fewer than two, which show no comparison."""
    bars = tuple(
        Bar(cell(name), number(fact), fact.value_micro)
        for name, fact in rows
        if fact.value_micro is not None and is_told(fact)
    )
    return Chart(title, unit, bars) if len(bars) > 1 else None


def categories(facts: Facts) -> list[Item | None]:
    """The shares of the categories as a chart, and what they were before in a sentence."""
    shares = [(name, fact) for name in CATEGORIES if (fact := facts.known(f"category_share.{name}"))]
    named: list[tuple[Piece, Fact]] = [(name.capitalize(), fact) for name, fact in shares]
    few = any(fact.value_micro is not None for _, fact in shares) and not any(
        is_told(fact) for _, fact in shares
    )
    return [
        chart("Category", "Share of the ETV", named),
        sentence("There are too few commits for shares of the categories.") if few else None,
        _categories_before(facts, shares),
    ]


def _categories_before(facts: Facts, shares: list[tuple[str, Fact]]) -> Sentence | None:
    means = [
        (name, mean)
        for name, _ in shares
        if (mean := facts.known(f"three_months.category_share.{name}")) and is_told(mean)
    ]
    if means:
        pieces: list[list[Piece]] = [[f"{name} ", number(mean)] for name, mean in means]
        return sentence("On average in the three months before: ", *listed(pieces), ".")
    before = [(name, fact) for name, fact in shares if fact.previous_micro is not None and is_told(fact)]
    if not before or before[0][1].is_draft:
        return None
    pieces = [[f"{name} ", number(fact, "previous")] for name, fact in before]
    return sentence(f"The {before[0][1].period} before: ", *listed(pieces), ".")


def by_category(facts: Facts, objectives: Iterable[Fact]) -> list[Item | None]:
    """Objectives by category, in ETV, and a note where they do not add up as they read.

    A category that no objective has is no column.
    """
    split: dict[str, dict[str, Fact]] = {}
    for fact in facts.all("objective_category"):
        place, _, name = fact.key.partition(".")
        if reads_as_more_than_nothing(fact):
            split.setdefault(place, {})[name] = fact
    chosen = list(objectives)
    names = [name for name in CATEGORIES if any(name in split.get(one.key, {}) for one in chosen)]
    rows = [
        (cell(subject(one)), cell(number(one)), *(_value(split.get(one.key, {}).get(name)) for name in names))
        for one in chosen
    ]
    unaligned = facts.known("unaligned")
    if rows and unaligned is not None:
        rows.append((cell("Without an objective"), cell(number(unaligned)), *(() for _ in names)))
    if not rows:
        return []
    table = Table(("Objective", "ETV", *map(str.capitalize, names)), tuple(rows))
    return [table, sentence(_ROUNDED) if any(_rounds_apart(facts, one) for one in chosen) else None]


def _rounds_apart(facts: Facts, objective: Fact) -> bool:
    """Whether the categories of an objective are its ETV, and do not add up to it as they read."""
    parts = [one for one in facts.all("objective_category") if one.key.partition(".")[0] == objective.key]
    whole, values = objective.value_micro or 0, [one.value_micro or 0 for one in parts]
    return bool(rounding_note([value / MICRO for value in values], whole / MICRO))


def every_objective(facts: Facts) -> Table | None:
    """All objectives with value, value before, progress and target date."""
    rows = [
        (
            cell(subject(one)),
            cell(number(one)),
            _value(one, "previous"),
            _progress(facts.known(f"objective_progress.{one.key}")),
            _value(facts.known(f"objective_target.{one.key}"), "on_date"),
        )
        for one in facts.all("objective")
    ]
    unaligned = facts.known("unaligned")
    if rows and unaligned is not None:
        rows.append(
            (cell("Without an objective"), cell(number(unaligned)), _value(unaligned, "previous"), (), ())
        )
    columns = (
        "Objective",
        "ETV of the quarter",
        "Of the quarter before",
        "Issues done in all",
        "Target date",
    )
    return Table(columns, tuple(rows)) if rows else None


def alignment(facts: Facts) -> list[Section]:
    """The share that reaches an objective, and the largest work that does not."""
    fact = facts.get("alignment")
    if fact is None or fact.note == "NO_OUTPUT":
        return []
    if fact.value_micro is None:
        return []
    found: list[Item] = []
    if is_told(fact):
        found.append(sentence("Share of the ETV that reaches an objective: ", *compared(facts, fact), "."))
    largest = [one for one in facts.all("unaligned_delivery") if reads_as_more_than_nothing(one)]
    found += [sentence("Without an objective: ", subject(one), ": ", number(one), " ETV.") for one in largest]
    return section("How much reaches an objective?", found)


def deliveries(facts: Facts) -> list[Section]:
    """The largest deliveries, where there are no objectives to tell them by."""
    found = [one for one in facts.all("delivery") if reads_as_more_than_nothing(one)]
    return section("What were the largest deliveries?", (_delivery(one) for one in found))


def _delivery(fact: Fact) -> Sentence:
    return sentence(subject(fact), ": ", number(fact), " ETV.")


def _progress(fact: Fact | None) -> Cell:
    return cell(number(fact), " of ", number(fact, "basis")) if fact is not None and fact.basis else ()


def _value(fact: Fact | None, field: str = "value") -> Cell:
    return cell(number(fact, field)) if fact is not None else ()
