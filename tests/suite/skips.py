"""Skipped tests: each reason is listed with the most tests that it may skip.

A reason that is not listed, or that skips more tests than listed, fails the run.
The file lists reasons of the surroundings (a missing program, a user without rights), each with the remedy.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).with_name("skips.toml")


@dataclass(frozen=True)
class Reason:
    """`pattern` matches the whole reason of a skip; `most` tests have it; `remedy` makes them run."""

    pattern: str
    most: int
    remedy: str


def load(file: Path = FILE) -> list[Reason]:
    return [Reason(**one) for one in tomllib.loads(file.read_text())["reason"]]


def excesses(skipped: Iterable[str], reasons: Iterable[Reason]) -> list[str]:
    """A sentence for each reason with too many skips."""
    known = list(reasons)
    counts = Counter(_known(reason, known) or reason for reason in skipped)
    return [
        f"{count} tests are skipped, and tests/suite/skips.toml lists {most}: {reason}"
        for reason, count in sorted(counts.items(), key=str)
        if count > (most := reason.most if isinstance(reason, Reason) else 0)
    ]


def told(skipped: Iterable[str], reasons: Iterable[Reason]) -> list[str]:
    """A line for each reason: how many tests it skips, and the remedy."""
    known = list(reasons)
    return [
        f"{count:5} skipped: {reason}" + (f" ({found.remedy})" if (found := _known(reason, known)) else "")
        for reason, count in Counter(skipped).most_common()
    ]


def _known(reason: str, reasons: list[Reason]) -> Reason | None:
    return next((one for one in reasons if re.fullmatch(one.pattern, reason, re.DOTALL)), None)
