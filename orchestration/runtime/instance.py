"""Dagster's instance of a deployment: the same for `dagster dev`, `eas serve` and `eas analyze`.

Keep out: what runs in it (runs.py, serving.py).
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from ingest.settings import CHECKOUT, Settings

CONFIGURATION = "dagster.yaml"


def home(settings: Settings) -> Path:
    """The folder whose dagster.yaml describes the instance.

    It is the checkout, unless the data directory is elsewhere: then a copy of the checkout's file is kept there,
    so that two deployments of one checkout do not share runs.
    """
    if settings.data_dir == CHECKOUT / "data":
        return CHECKOUT
    folder = settings.dagster_dir
    folder.mkdir(parents=True, exist_ok=True)
    text = (CHECKOUT / CONFIGURATION).read_text()
    for line in text.splitlines():
        place = line.strip().removeprefix("base_dir: ")
        if place.startswith("data/dagster"):
            absolute = folder / Path(place).relative_to("data/dagster")
            # A string of JSON is one of YAML, whatever is in the path.
            text = text.replace(f"{line}\n", f"{line.replace(place, json.dumps(str(absolute)))}\n", 1)
    partial = folder / f"{CONFIGURATION}.{os.getpid()}"
    partial.write_text(text)
    partial.replace(folder / CONFIGURATION)
    return folder
