"""Builds the warehouse of histories with declared commit types, for training and testing the category model.

    python -m tests.validity.categories.declared_history --data SETS --repositories CLONES --out FOLDER

The first extraction takes one to two hours on two cores. A later call reads only new commits. Prints the path of the
warehouse. Exits with 1 if a repository is missing, after reading the others.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.validity import labelled_sets
from tests.validity.analysed import Analysed, analyse
from tests.validity.claims import Inputs, Missing

SETS = ("declared_types.csv", "cc_commits.csv")
MODELS = ("+int_categories__changes", "+int_categories__commits", "+int_exclusions__commits")


def read(inputs: Inputs) -> tuple[Analysed, list[str]]:
    """The built models and messages about missing repositories. Raises Missing if a set or every clone is missing."""
    clones: dict[str, Path] = {}
    missing = []
    for name in sorted({row["repo"] for file in SETS for row in labelled_sets.rows(inputs, file)}):
        try:
            clones[name] = labelled_sets.repository(inputs, name)
        except Missing as error:
            missing.append(str(error))
    if not clones:
        raise Missing(missing[0])
    return analyse(clones, inputs.kept / "declared-types", select=MODELS), missing


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of the labelled sets")
    parser.add_argument("--repositories", type=Path, required=True, help="folder of clones or bare mirrors")
    parser.add_argument("--out", type=Path, required=True, help="folder that keeps what was read")
    given = parser.parse_args(arguments)
    try:
        found, missing = read(Inputs(given.data, given.repositories, given.out, given.out))
    except Missing as error:
        print(error, file=sys.stderr)
        return 2
    for told_of in missing:
        print(told_of, file=sys.stderr)
    print(found.warehouse)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
