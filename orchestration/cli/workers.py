"""The command that executes runs of a queue."""

from __future__ import annotations

from typing import Annotated

import typer

from orchestration.cli.context import find_deployment, refused
from orchestration.commands import working


def worker(
    runs: Annotated[
        int, typer.Option(min=1, max=64, help="Runs that this worker executes at the same time.")
    ] = 1,
) -> None:
    """Execute the runs that wait in the queue (EAS_RUN_QUEUE) until interrupted.

    At the first signal it ends when its runs have ended, at the second one at once.
    """
    try:
        working.work(find_deployment(), runs)
    except working.NoQueue as error:
        raise refused(str(error)) from error
