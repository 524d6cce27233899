"""Parses the dbt project before the first build of a deployment needs it.

`make` parses it when it prepares the environment. Otherwise the first run parses it in a separate process while it
imports Dagster and dbt.
Keep out: how it is parsed (dbt_build.py).
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from ingest.settings import CHECKOUT
from orchestration.build import parsed_project
from orchestration.deployment import Deployment


@contextmanager
def ahead(deployment: Deployment) -> Iterator[None]:
    """Parse the dbt project meanwhile unless it is parsed; `dbt_build.manifest` waits for it."""
    if parsed_project.find(deployment) is not None:
        yield
        return
    parsing = subprocess.Popen(
        [sys.executable, "-m", "orchestration.build.parsing"],
        cwd=CHECKOUT,
        env=deployment.environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        # When this fails, a run that needs the project parses it itself and reports the error.
        stderr=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        parsing.terminate()
        parsing.wait()


if __name__ == "__main__":
    from api.operator.settings import start_or_exit
    from orchestration.build import dbt_build

    start_or_exit()
    dbt_build.manifest(Deployment())
