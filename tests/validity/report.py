"""Writes outcomes to the terminal, as Markdown, as JSON and as charts."""

import json
import math
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from tests.validity.bootstrap import Interval
from tests.validity.chart import drawn
from tests.validity.claims import NotMeasured, Outcome, Result

_INTRODUCTION = """# Validity

How far the product's numbers agree with labels that it did not make. Every figure is taken from a warehouse that the
product built of the labelled rows or of the repositories that they name; the plain rules beside it ran on the same rows
in the same call. Intervals hold the middle 95 % of a bootstrap that draws whole units (named in each line).
"""


def line(outcome: Outcome) -> str:
    """Figure, interval, bar and verdict in one line."""
    name = f"{outcome.claim}: {outcome.name}"
    if isinstance(outcome, NotMeasured):
        return f"{name:76} {outcome.verdict}: {outcome.remedy}"
    value = (
        f"{shown(outcome.figure, outcome.is_count):>7} {_bounds(outcome.interval):>15} {outcome.bar.shown:>8}"
    )
    plain = ", ".join(f"{one.name} {shown(one.figure, outcome.is_count)}" for one in outcome.baselines)
    return f"{name:76} {value}  {outcome.verdict:7} {plain}".rstrip()


def write(outcomes: Sequence[Outcome], folder: Path) -> None:
    """Write validity.md, validity.json and a chart per claim, replacing those of an earlier run."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("validity-*.svg"):
        old.unlink()
    (folder / "validity.json").write_text(
        json.dumps([_plain(outcome) for outcome in outcomes], indent=1, ensure_ascii=False) + "\n",
        encoding="utf-8",
    )
    (folder / "validity.md").write_text(_markdown(outcomes, folder), encoding="utf-8")


def shown(figure: float, is_count: bool = False) -> str:
    """Format a figure: three decimals for shares, counts whole, a dash for NaN."""
    if math.isnan(figure):
        return "–"
    if is_count:
        return f"{figure:,.0f}"
    # Truncated, so that only 1 is shown as 1.
    cut = math.floor(figure * 1000) / 1000 if 0 < figure < 1 else figure
    return f"{cut:.3f}"


def _markdown(outcomes: Sequence[Outcome], folder: Path) -> str:
    parts = [_INTRODUCTION, "| claim | figure | 95 % | bar | verdict |", "|---|---|---|---|---|"]
    parts += [_summary(outcome) for outcome in outcomes]
    for claim in dict.fromkeys(outcome.claim for outcome in outcomes):
        of_claim = [outcome for outcome in outcomes if outcome.claim == claim]
        results = [outcome for outcome in of_claim if isinstance(outcome, Result)]
        parts.append(f"\n## {claim}\n")
        if results:
            chart = f"validity-{claim.lower().replace(' ', '-')}.svg"
            (folder / chart).write_text(drawn(claim, results), encoding="utf-8")
            parts.append(f"![{claim}]({chart})\n")
        parts += [_section(outcome) for outcome in of_claim]
    return "\n".join(parts) + "\n"


def _summary(outcome: Outcome) -> str:
    name = f"{outcome.claim}: {outcome.name}"
    if isinstance(outcome, NotMeasured):
        return f"| {name} | – | – | – | {outcome.verdict} |"
    return (
        f"| {name} | {shown(outcome.figure, outcome.is_count)} | {_bounds(outcome.interval)} | {outcome.bar.shown} "
        f"| {outcome.verdict} |"
    )


def _section(outcome: Outcome) -> str:
    if isinstance(outcome, NotMeasured):
        return f"### {outcome.name}\n\nNot measured: {outcome.remedy}.\n"
    aim = f"; aim {outcome.bar.aim:g}" if outcome.bar.aim is not None else ""
    bar = (
        f"bar {outcome.bar.shown}{aim}: {outcome.verdict}" if outcome.bar.shown else "no bar, for information"
    )
    parts = [
        f"### {outcome.name}\n",
        (
            f"**{shown(outcome.figure, outcome.is_count)}** ({_bounds(outcome.interval)}), {bar}. "
            f"Set `{outcome.set_name}`, {outcome.size:,} rows, drawn by {outcome.unit}; "
            f"calculation version {outcome.calculation_version}.\n"
        ),
        f"Can show: {outcome.can_show}\n",
        f"Cannot show: {outcome.cannot_show}\n",
        *(f"{note}\n" for note in outcome.notes),
    ]
    if outcome.parts or outcome.baselines:
        plain = [baseline.name for baseline in outcome.baselines]
        parts.append("| | rows | product | 95 % |" + "".join(f" {name} |" for name in plain))
        parts.append("|---|---|---|---|" + "---|" * len(plain))
        figures = tuple(baseline.figure for baseline in outcome.baselines)
        parts.append(_row("all", outcome.size, outcome.figure, outcome.interval, figures, outcome.is_count))
        parts += [
            _row(p.name, p.size, p.figure, p.interval, p.baselines, outcome.is_count) for p in outcome.parts
        ]
        parts.append("")
    return "\n".join(parts)


def _row(
    name: str, size: int, figure: float, interval: Interval | None, plain: tuple[float, ...], is_count: bool
) -> str:
    cells = [name.replace("|", "\\|"), f"{size:,}", shown(figure, is_count), _bounds(interval)]
    cells += [shown(one, is_count) for one in plain]
    return f"| {' | '.join(cells)} |"


def _bounds(interval: Interval | None) -> str:
    return f"{shown(interval.low)}–{shown(interval.high)}" if interval else "–"


def _plain(outcome: Outcome) -> dict[str, object]:
    return {key: _without_nan(value) for key, value in asdict(outcome).items()} | {"verdict": outcome.verdict}


def _without_nan(value: object) -> object:
    """Replace NaN, which JSON lacks, by null."""
    if isinstance(value, dict):
        return {key: _without_nan(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
