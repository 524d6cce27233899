"""Configures the Dagster instance of a deployment, which `dagster dev`, `eas serve` and `eas analyze` share.

Add: repairs of its records. Keep out: runs (commands/runs.py), servers (commands/serving.py).
"""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import yaml

from ingest.settings import CHECKOUT, Settings
from orchestration.workers import run_queue

CONFIGURATION = "dagster.yaml"


def home(settings: Settings) -> Path:
    """The folder with the dagster.yaml of the instance.

    It is the checkout if the data directory is the default. For another data directory, and for workers or a database
    of their own, it is a folder in the data directory with a copy of the file, so that two deployments of one checkout
    do not share runs. Raises StartRefused.
    """
    if settings.data_dir == CHECKOUT / "data" and not run_queue.changes_instance():
        return CHECKOUT
    folder = settings.dagster_dir
    folder.mkdir(parents=True, exist_ok=True)
    text = (CHECKOUT / CONFIGURATION).read_text()
    for line in text.splitlines():
        path = line.strip().removeprefix("base_dir: ")
        if path.startswith("data/dagster"):
            absolute = folder / Path(path).relative_to("data/dagster")
            # A JSON string is valid YAML, so any path is quoted correctly.
            text = text.replace(f"{line}\n", f"{line.replace(path, json.dumps(str(absolute)))}\n", 1)
    if run_queue.changes_instance():
        text = yaml.safe_dump(run_queue.of_instance(yaml.safe_load(text)), sort_keys=False)
    partial = folder / f"{CONFIGURATION}.{os.getpid()}"
    partial.write_text(text)
    partial.replace(folder / CONFIGURATION)
    return folder


def set_aside_damaged(settings: Settings) -> Path | None:
    """Move Dagster's records away if a database of them is damaged. Returns their new folder. Nothing needs them."""
    folder = settings.dagster_dir
    found = [
        *folder.glob("history/runs.db"),
        *folder.glob("history/runs/index.db"),
        *folder.glob("schedules/*.db"),
    ]
    return set_aside(settings) if any(map(_is_damaged, found)) else None


def set_aside(settings: Settings) -> Path:
    """Move Dagster's records away, so that the next opening makes new ones. Returns their new folder."""
    kept = settings.dagster_dir / f"damaged-{datetime.now(UTC):%Y%m%dT%H%M%S%fZ}"
    kept.mkdir(parents=True)
    for name in ("history", "schedules"):
        if (settings.dagster_dir / name).exists():
            (settings.dagster_dir / name).rename(kept / name)
    return kept


def _is_damaged(file: Path) -> bool:
    try:
        with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as connection:
            return connection.execute("pragma quick_check(1)").fetchall() != [("ok",)]
    except sqlite3.OperationalError:
        return False  # locked, or it cannot be opened now
    except sqlite3.DatabaseError:
        return True
