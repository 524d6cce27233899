"""Compares candidates for the constants of the line weights: agreement with effort, and bars of the invariances.

    python -m tests.validity.effort.ablation_grid --data FOLDER --repositories FOLDER

Each candidate changes one of the chosen constants, which dbt_project/training/weights.py holds.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from statistics import mean

import numpy as np

from dbt_project.training.weights import CHOSEN
from tests.dbt.invented.scenario_bars import BARS, Earned, ratios
from tests.validity import labelled_sets
from tests.validity.analysed import analyse
from tests.validity.claims import Inputs
from tests.validity.effort import effort
from tests.validity.effort.ablation import Bench, Rule
from tests.validity.effort.effort_points import bands, spearman

CANDIDATES = [
    Rule("chosen"),
    *(Rule(f"full ranks {n}", replace(CHOSEN, full_ranks=n)) for n in (1, 2, 3, 4, 6, 9)),
    *(Rule(f"fade {fade}", replace(CHOSEN, fade=Decimal(fade))) for fade in ("0.05", "0.5", "0.8")),
    *(Rule(f"token cap {cap}", replace(CHOSEN, token_cap=cap)) for cap in (3, 5, 8, 31)),
    *(Rule(f"token exponent {n}", replace(CHOSEN, token_exponent=Decimal(n))) for n in ("0.25", "0.75")),
    *(Rule(f"comment {n}", replace(CHOSEN, comment=Decimal(n))) for n in ("0", "0.1", "0.3")),
    *(Rule(f"removal {n}", variables={"removal_weight_micro": int(n * 1_000_000)}) for n in (0.5, 2, 3)),
]


def main() -> int:
    parser = argparse.ArgumentParser(prog="ablation_grid", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the labelled sets")
    parser.add_argument("--repositories", type=Path, required=True, help="folder of clones or bare mirrors")
    parser.add_argument("--work", type=Path, default=Path("data"), help="folder for temporary files")
    options = parser.parse_args()
    options.work.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="grid-", dir=options.work) as work:
        measure(Inputs(options.data.absolute(), options.repositories, Path(work)))
    return 0


def measure(inputs: Inputs) -> None:
    """Print a line per candidate: correlation of ETV of source files, overall and by project, and failed bars."""
    rows = labelled_sets.rows(inputs, f"{effort.SET}.csv")
    fixes, clones, _ = effort.usable(rows, inputs)
    found = analyse(clones, inputs.work / "effort", select=effort.MODELS)
    labels, repos = bands(fixes), np.array([fix.repo for fix in fixes])
    bench = Bench(fixes, found, inputs.work)
    for candidate in CANDIDATES:
        measured = bench.measured(candidate)
        parts = [
            f"{repo} {spearman(measured.source[repos == repo], labels[repos == repo]):.3f}" for repo in clones
        ]
        figures = f"{spearman(measured.source, labels):.3f} ({', '.join(parts)})"
        print(
            f"{candidate.name:20} {figures}  {'; '.join(_failing(measured.scenarios)) or 'all bars hold'}",
            flush=True,
        )


def _failing(earned: Earned) -> list[str]:
    found = {name: ratios(earned, bar) for name, bar in BARS.items()}
    return [
        f"{name} {mean(of):.3f} (most {max(of):.3f})"
        for name, of in found.items()
        if not BARS[name].holds(of)
    ]


if __name__ == "__main__":
    sys.exit(main())
