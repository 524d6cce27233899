"""Recorded seconds: how long each module of the tests took in one whole run, as on the machine of reference.

`make seconds` writes them. The order of files, the fast lane and the budgets of folders follow from them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from tests.suite.speed import Speed

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
TESTS = HERE.parent
FILE = HERE / "seconds.json"


@dataclass(frozen=True)
class Recorded:
    """`modules` has wall seconds of a module's tests with their fixtures, by its path below the project, on a machine
    of this speed.
    """

    date: str
    speed: Speed
    modules: Mapping[str, float]

    def as_on(self, milliseconds: float) -> Recorded:
        """The seconds as a machine takes them that needs these processor milliseconds for the known work."""
        factor = milliseconds / self.speed.milliseconds
        modules = {path: seconds * factor for path, seconds in self.modules.items()}
        return Recorded(self.date, replace(self.speed, milliseconds=milliseconds), modules)

    def save(self, file: Path = FILE) -> None:
        modules = {path: round(self.modules[path], 1) for path in sorted(self.modules)}
        content = asdict(self) | {"modules": modules}
        file.write_text(json.dumps(content, indent=1) + "\n")


def load(file: Path = FILE) -> Recorded:
    """The recorded run."""
    content = json.loads(file.read_text())
    return Recorded(content["date"], Speed(**content["speed"]), content["modules"])


def module_of(node_id: str) -> str:
    return node_id.partition("::")[0]


def folder_of(module: str) -> str:
    """The folder that has a budget: `tests/ingest/git` for `tests/ingest/git/blame/test_replay.py`."""
    return "/".join(module.split("/")[:-1][:3])


def by_folder(modules: Mapping[str, float]) -> dict[str, float]:
    """Seconds of folders."""
    sums: dict[str, float] = {}
    for module, seconds in modules.items():
        sums[folder_of(module)] = sums.get(folder_of(module), 0) + seconds
    return sums
