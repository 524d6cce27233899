"""Makes the seed line_weights.csv: the weight of a line by its class, its new tokens and the rank of its shape.

    python -m dbt_project.training.weights          # shows what follows from the constants
    python -m dbt_project.training.weights --write  # and writes the seed

The constants were chosen by `python -m tests.validity.effort.ablation_grid`; their reasons and intervals stand in
line_weights.yml. Keep out: points of removals and files (variables of dbt_project.yml), factors of roles.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, localcontext
from pathlib import Path

SEED = Path(__file__).parents[1] / "seeds" / "line_weights.csv"
MAX_TOKENS, MAX_RANKS = 31, 10
_DIGITS = 40
REASONS = {
    "layout": "white space, wrapping and quotes change nothing",
    "moved": "written before, elsewhere in the same delivery",
    "returned": "written before; where its removal had taken the credit back it weighs what it did at first",
    "copied": "stands in the tree already",
    "substituted": "as novel, over the square of the instance: the n-th same replacement is one decision carried out",
    "comment": (
        "a twentieth of a simple line, over the square of its instance: explains but decides nothing, and a header in "
        "many files is one text; nothing where no word is new"
    ),
    "novel": (
        "square root of new tokens up to 15: long lines cost less per token; five of a shape count in full, each "
        "further one a fifth of the one before: patterned lines fade"
    ),
}


@dataclass(frozen=True)
class Constants:
    """The constants of the weights. Beyond `full_ranks`, a line of a shape keeps the part `fade` of the one before
    it.
    """

    token_cap: int = 15
    token_exponent: Decimal = Decimal("0.5")
    full_ranks: int = 5
    fade: Decimal = Decimal("0.2")
    repetition_exponent: int = 2
    comment: Decimal = Decimal("0.05")


CHOSEN = Constants()


def weight_micro(kind: str, tokens: int, rank: int, constants: Constants = CHOSEN) -> int:
    """Millionths of a point of one line of a class."""
    with localcontext() as context:
        context.prec = _DIGITS
        points = Decimal(0)
        if kind == "comment" and tokens:
            points = constants.comment / rank**constants.repetition_exponent
        elif kind in ("novel", "substituted") and tokens:
            points = Decimal(min(tokens, constants.token_cap)) ** constants.token_exponent
            if kind == "novel":
                points *= constants.fade ** max(0, rank - constants.full_ranks)
            else:
                points /= rank**constants.repetition_exponent
        return int((points * 1_000_000).to_integral_value(ROUND_HALF_UP))


def rows(constants: Constants = CHOSEN) -> Iterator[tuple[str, int, int, int, str]]:
    """The rows of the seed: class, tokens, rank, weight, reason."""
    for kind, reason in REASONS.items():
        for tokens in range(MAX_TOKENS + 1):
            for rank in range(1, MAX_RANKS + 1):
                yield kind, tokens, rank, weight_micro(kind, tokens, rank, constants), reason


def write(path: Path, constants: Constants = CHOSEN) -> None:
    """Replaces the seed."""
    with path.open("w", encoding="utf-8", newline="") as file:
        sheet = csv.writer(file, lineterminator="\n")
        sheet.writerow(("class", "tokens", "rank", "weight_micro", "reason"))
        sheet.writerows(rows(constants))


def pattern_points(lines: int, tokens: int, constants: Constants = CHOSEN) -> float:
    """The points of this many lines of one shape in one delivery."""
    ranks = (min(number, MAX_RANKS) for number in range(1, lines + 1))
    return sum(weight_micro("novel", tokens, rank, constants) for rank in ranks) / 1_000_000


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="weights", description="Makes the seed of line weights.")
    parser.add_argument("--write", action="store_true", help=f"replace {SEED.name}")
    options = parser.parse_args(arguments)
    report = [str(CHOSEN)] + [
        f"{lines:5} lines of one shape with 4 new tokens each: {pattern_points(lines, 4):8.3f} points"
        for lines in (1, 5, 10, 100, 1000)
    ]
    sys.stdout.write("\n".join(report) + "\n")
    if options.write:
        write(SEED)
    return 0


if __name__ == "__main__":
    sys.exit(main())
