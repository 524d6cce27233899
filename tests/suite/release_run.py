"""The last run of `make test-all`: its result is part of the project, and `make test` names it when it is old."""

from __future__ import annotations

import json
import subprocess
from dataclasses import asdict, dataclass
from datetime import date, timedelta
from pathlib import Path

FILE = Path(__file__).with_name("release_run.json")
OLD_AFTER = timedelta(weeks=2)


@dataclass(frozen=True)
class ReleaseRun:
    """Its day, the commit of the checkout, the numbers of tests, and its minutes."""

    date: str
    commit: str
    passed: int
    failed: int
    skipped: int
    minutes: float

    def save(self, file: Path = FILE) -> None:
        file.write_text(json.dumps(asdict(self), indent=1) + "\n")


def reminder(today: date, file: Path = FILE) -> str | None:
    """A sentence about the last run if it is older than two weeks, or if there was none."""
    if not file.exists():
        return "`make test-all` has no recorded run: run it before a release"
    last = ReleaseRun(**json.loads(file.read_text()))
    if today - date.fromisoformat(last.date) <= OLD_AFTER:
        return None
    return (
        f"`make test-all` ran last on {last.date} at commit {last.commit}: {last.passed} passed, {last.failed} failed, "
        f"{last.skipped} skipped in {last.minutes:.0f} minutes; run it before a release"
    )


def head(checkout: Path) -> str:
    """The commit of a checkout, with a plus sign where files are changed; `unknown` outside a checkout."""
    described = subprocess.run(
        ["git", "-C", str(checkout), "describe", "--always", "--abbrev=12", "--exclude=*", "--dirty=+"],
        capture_output=True, text=True,
    )  # fmt: skip
    return described.stdout.strip() or "unknown"
