"""Judges what a round left: the figures of an undisturbed run, or a message that helps. A failure is in capitals.

equal      the next run published the figures of an undisturbed run, to the bit
rerun      the next run printed a message and kept the last good figures, and the run after it repaired all
fixed      the message named `eas doctor --fix`, which repaired all

Keep out: accidents.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.chaos import runs
from tests.chaos.runs import Run
from tests.chaos.stage import Stage, figures

TRACEBACK, WRONG, UNREADABLE, SILENT, STUCK, READERS = (
    "TRACEBACK", "WRONG FIGURES", "UNREADABLE", "SILENT", "STUCK", "READERS",
)  # fmt: skip
MESSAGES = ("Failed: ", "Error: ")
FIX = "eas doctor --fix"


@dataclass(frozen=True)
class Verdict:
    """What a round ended as, and the output that shows it."""

    name: str
    output: str = ""

    @property
    def is_failure(self) -> bool:
        """Whether the product did what it must not."""
        return self.name.isupper()


def of_disturbed(stage: Stage, data: Path, done: Run) -> Verdict | None:
    """The failure of a run during which something happened; None if there is none."""
    return _failure(stage, figures(data), done)


def _failure(stage: Stage, found: str, done: Run) -> Verdict | None:
    if done.has_traceback:
        return Verdict(TRACEBACK, done.output)
    if found not in ("", *stage.figures):
        return Verdict(WRONG, done.output)
    return None


def settle(stage: Stage, data: Path, number: int, targets: int, touched: set[str]) -> Verdict:
    """Run again over the first `targets` repositories and judge; `touched` are the damaged parts of the directory."""
    stage.show(number)
    done = runs.analyze(data, stage.repositories[:targets])
    found = figures(data)
    if (failure := _failure(stage, found, done)) is not None:
        return failure
    if done.code == 0:
        return Verdict("equal") if found == stage.figures[number] else Verdict(SILENT, done.output)
    if not any(message in done.output for message in MESSAGES):
        return Verdict(SILENT, done.output)
    if not found and not touched & {"published", "."}:
        return Verdict(UNREADABLE, done.output)
    return _after_message(stage, data, number, done)


def _after_message(stage: Stage, data: Path, number: int, done: Run) -> Verdict:
    output = done.output
    again = runs.analyze(data, stage.repositories)
    output += f"\n--- again ---\n{again.output}"
    if (failure := of_disturbed(stage, data, again)) is not None:
        return Verdict(failure.name, output)
    if again.code == 0 and figures(data) == stage.figures[number]:
        return Verdict("rerun", output)
    if FIX in again.output:
        fixed = runs.eas(data, "doctor", "--fix")
        last = runs.analyze(data, stage.repositories)
        output += f"\n--- fix ---\n{fixed.output}\n--- last ---\n{last.output}"
        if fixed.has_traceback or last.has_traceback:
            return Verdict(TRACEBACK, output)
        if last.code == 0 and figures(data) == stage.figures[number]:
            return Verdict("fixed", output)
    return Verdict(STUCK, output)
