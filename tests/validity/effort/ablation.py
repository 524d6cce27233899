"""The effect of each rule and factor of the score on agreement with effort and on resistance to gaming."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from statistics import mean

import numpy as np

from dbt_project.training.weights import CHOSEN, Constants
from orchestration.deployment import LOCAL_ORGANIZATION
from tests.dbt import warehouse
from tests.dbt.invented import scenario_bars
from tests.dbt.invented.invented_history import ORGANIZATION_ID
from tests.dbt.invented.scenario_bars import BARS, Earned
from tests.validity import bootstrap
from tests.validity.analysed import Analysed
from tests.validity.bootstrap import Rows
from tests.validity.claims import Baseline, Outcome, Result
from tests.validity.effort import effort_points
from tests.validity.effort.ablation_restated import Restated
from tests.validity.effort.effort_points import EARNED, Figures, Fix, bands, spearman

CLAIM = "What each rule adds"
_CAN_SHOW = (
    "how far the score follows effort without the rule, and which ways to tell the same work then earn more."
)
_CANNOT_SHOW = "gaming that nobody has thought of, and effort other than that of merged fixes."


@dataclass(frozen=True)
class Rule:
    """A disabled rule: by other weights, by variables of dbt_project.yml, or by factors of roles."""

    name: str
    weights: Constants = CHOSEN
    variables: Mapping[str, int] = field(default_factory=dict)
    role_factors: Mapping[str, int] = field(default_factory=dict)


RULES = (
    Rule("concave tokens (each counts)", replace(CHOSEN, token_exponent=Decimal(1), token_cap=31)),
    Rule("tokens (each line counts one)", replace(CHOSEN, token_exponent=Decimal(0))),
    Rule("rank of equal shapes", replace(CHOSEN, fade=Decimal(1))),
    Rule("rank of replacements", replace(CHOSEN, repetition_exponent=0)),
    Rule("comments (nothing)", replace(CHOSEN, comment=Decimal(0))),
    Rule("comments for little (a point)", replace(CHOSEN, comment=Decimal(1))),
    Rule("removals", variables={"removal_weight_micro": 0, "removal_rest_weight_micro": 0}),
    Rule("file bonus", variables={"file_bonus_max_micro": 0}),
    Rule("tests' factor", role_factors={"test": 1_000_000}),
    Rule("window", variables={"window_days": 0}),
)


def results(fixes: Sequence[Fix], found: Analysed, folder: Path) -> Iterator[Outcome]:
    """A line per rule. `found` holds the fixes; below `folder` the warehouses are built again and again."""
    bench = Bench(fixes, found, folder)
    whole = bench.measured(Rule("none"))
    for rule in RULES:
        yield _compared(rule, fixes, whole, bench.measured(rule), found.calculation_version)


@dataclass(frozen=True)
class Measured:
    """ETV of each fix in source files and in all files, and of every scenario."""

    source: Figures
    all_files: Figures
    scenarios: Earned


class Bench:
    """The fixes and the scenarios, to be measured under other rules."""

    def __init__(self, fixes: Sequence[Fix], found: Analysed, folder: Path) -> None:
        self._fixes, self._ids = fixes, found.repository_ids
        self._scenario_facts = scenario_bars.extract(folder / "scenarios")
        self._scenarios = Restated(self._scenario_facts.raw, folder / "scenarios", ORGANIZATION_ID)
        self._real = Restated(found.raw, folder / "restated", LOCAL_ORGANIZATION)

    def measured(self, rule: Rule) -> Measured:
        """Restate both histories without the rule."""
        for restated in (self._scenarios, self._real):
            restated.under(rule.weights, rule.role_factors, rule.variables)
        rows = warehouse.rows(self._real.warehouse, EARNED)
        source, whole = (
            effort_points.earned(self._fixes, rows, self._ids, "etv_micro", all_files=all_files)
            for all_files in (False, True)
        )
        return Measured(source, whole, self._scenario_facts.earned(self._scenarios.warehouse))


def _compared(rule: Rule, fixes: Sequence[Fix], whole: Measured, without: Measured, version: str) -> Result:
    labels, every = bands(fixes), np.arange(len(fixes))

    def added(rows: Rows) -> float:
        return spearman(whole.all_files[rows], labels[rows]) - spearman(without.all_files[rows], labels[rows])

    low, high = bootstrap.interval(bootstrap.grouped(every), added)
    broken_bars = broken(whole.scenarios, without.scenarios)
    return Result(
        CLAIM,
        f"rank correlation of ETV without {rule.name}",
        "swebench_effort",
        len(fixes),
        "fix",
        spearman(without.all_files, labels),
        bootstrap.interval(
            bootstrap.grouped(every), lambda rows: spearman(without.all_files[rows], labels[rows])
        ),
        version,
        can_show=_CAN_SHOW,
        cannot_show=_CANNOT_SHOW,
        baselines=(
            Baseline("with it", spearman(whole.all_files, labels)),
            Baseline("source files without it", spearman(without.source, labels)),
            Baseline("source files with it", spearman(whole.source, labels)),
        ),
        notes=(
            f"It adds {added(every):+.3f} (95 % {low:+.3f} to {high:+.3f}) to the correlation.",
            f"Bars of the same work told in other ways that break without it: {'; '.join(broken_bars) or 'none'}.",
        ),
    )


def broken(whole: Earned, without: Earned) -> list[str]:
    """Bars that hold only with the rule: name, mean and maximum earned, with and without the rule."""
    found = []
    for name, bar in BARS.items():
        before, after = (scenario_bars.ratios(earned, bar) for earned in (whole, without))
        if bar.holds(before) and not bar.holds(after):
            shown = " → ".join(f"{mean(ratios):.3f} (most {max(ratios):.3f})" for ratios in (before, after))
            found.append(f"{name} {shown}")
    return found
