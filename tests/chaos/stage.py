"""A deployment of two small repositories, and the figures of undisturbed runs before and after a new commit.

Keep out: accidents, and what follows from them.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
from pathlib import Path

import duckdb

from tests.chaos import runs
from tests.chaos.damages import Site
from tests.end_to_end.eas import Eas
from tests.end_to_end.histories import varied
from tests.git_repository import GitRepository

EARLIER, BASE, AFTER = 0, 1, 2
"""States of the repository `house`. Rounds begin at BASE; the two others differ from it by a commit."""


class Stage:
    """The repositories, a data directory for each state of them, and the figures of each state."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.house = varied(GitRepository(folder / "house"))
        shed = GitRepository(folder / "shed")
        for number in range(5):
            shed.commit(
                {f"part_{number}.py": f"value_{number} = compute({number}) + other({number})\n"}, "Add a part"
            )
        self.repositories = [folder / "house", folder / "shed"]
        self.heads = [self._head()]
        for name in ("soon", "late"):
            self.house.commit(
                {f"{name}.py": f"{name} = offset('{name}') * 2\nsecond = {name} + 1\n"}, f"Add {name}"
            )
            self.heads.append(self._head())
        self.data = [folder / name for name in ("earlier", "base", "after")]
        self.figures: list[str] = []
        self.seconds = 0.0
        # Rounds are played in the same folder: dbt parses its project again when the path of the warehouse changes.
        self.round = folder / "round"
        for number, kept in enumerate(self.data):
            self._analyze(number, self.round)
            if number == BASE:
                self.key = runs.eas(self.round, "token", "create", "--name", "chaos").output.split()[-1]
            shutil.copytree(self.round, kept)

    def _analyze(self, number: int, data: Path) -> None:
        self.show(number)
        started = time.monotonic()
        done = runs.analyze(data, self.repositories)
        self.seconds = time.monotonic() - started
        if done.code != 0:
            raise SystemExit(f"an undisturbed run failed:\n{done.output}")
        self.figures.append(figures(data))

    def _head(self) -> str:
        return self.house.git("rev-parse", "main").strip()

    def show(self, number: int) -> None:
        """Let the repository be in one of its states."""
        self.house.git("update-ref", "refs/heads/main", self.heads[number])

    def copy(self) -> Path:
        """A data directory for a round, in state BASE."""
        shutil.rmtree(self.round, ignore_errors=True)
        shutil.copytree(self.data[BASE], self.round)
        return self.round

    def site(self, data: Path) -> Site:
        """A data directory as damage sees it."""
        return Site(data, self.data[EARLIER])


def figures(data: Path) -> str:
    """A digest of all published rows; empty if they cannot be read."""
    pointer = next((data / "published").glob("*/current.json"), None)
    try:
        if pointer is None or not pointer.is_file():
            return ""
        rows = Eas(data).everything()
    except (OSError, ValueError, KeyError, TypeError, duckdb.Error):
        return ""
    return hashlib.sha256(json.dumps(rows, sort_keys=True).encode()).hexdigest()
