"""Budgets: a folder whose tests take a third longer than recorded fails the run, if the machine is as fast."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tests.suite import recorded
from tests.suite.recorded import Recorded
from tests.suite.speed import Speed

GROWTH = 4 / 3
SLACK = 45.0
"""Seconds above the budget that are always free. The first file that needs a package of npm, compiled models or the
sanitized engine pays for all, and in a fresh clone nothing of it is there."""


@dataclass(frozen=True)
class Verdict:
    """`passed` has a sentence for each folder above its budget. `unjudged` says why nothing was judged."""

    passed: list[str] = field(default_factory=list)
    unjudged: str | None = None


def judge(modules: Mapping[str, float], speed: Speed, before: Recorded) -> Verdict:
    """Compare the seconds of a whole run with the recorded ones."""
    difference = speed.difference(before.speed)
    if difference is not None:
        return Verdict(unjudged=difference)
    budgets = recorded.by_folder(before.modules)
    return Verdict(
        [
            _sentence(folder, seconds, budgets.get(folder, 0.0), modules, before)
            for folder, seconds in sorted(recorded.by_folder(modules).items())
            if seconds > budgets.get(folder, 0.0) * GROWTH + SLACK
        ]
    )


def _sentence(
    folder: str, seconds: float, budget: float, modules: Mapping[str, float], before: Recorded
) -> str:
    grown = {
        module: taken - before.modules.get(module, 0.0)
        for module, taken in modules.items()
        if recorded.folder_of(module) == folder
    }
    most = sorted(grown, key=lambda module: -grown[module])[:3]
    named = ", ".join(f"{module} (+{grown[module]:.0f} s)" for module in most if grown[module] > 1)
    return f"{folder} took {seconds:.0f} s; {budget:.0f} s are recorded. Grown most: {named}"
