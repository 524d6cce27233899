"""Configures the Dagster instance of a deployment, which `dagster dev`, `eas serve` and `eas analyze` share.

Keep out: runs (runs.py), servers (serving.py).
"""

from __future__ import annotations

import json
import os
from pathlib import Path

from ingest.settings import CHECKOUT, Settings

CONFIGURATION = "dagster.yaml"


def home(settings: Settings) -> Path:
    """The folder with the dagster.yaml of the instance.

    It is the checkout if the data directory is the default. For another data directory it is a folder there with a
    copy of the file, so that two deployments of one checkout do not share runs.
    """
    if settings.data_dir == CHECKOUT / "data":
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
    partial = folder / f"{CONFIGURATION}.{os.getpid()}"
    partial.write_text(text)
    partial.replace(folder / CONFIGURATION)
    return folder
