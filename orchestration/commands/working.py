"""Turns this process into a worker, which executes the runs of the queue.

Keep out: the queue and the settings of Celery (workers/run_queue.py).
"""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from ingest.settings import CHECKOUT
from orchestration.deployment import Deployment
from orchestration.runtime.explanations import Explained
from orchestration.runtime.instance import home
from orchestration.workers import run_queue


class NoQueue(Explained):
    """The settings name no queue. The message says which one does."""


def work(deployment: Deployment, runs: int) -> NoReturn:
    """Execute so many runs at the same time, in the place of this process. Raises NoQueue."""
    if not run_queue.is_used():
        raise NoQueue(f"{run_queue.ADDRESS} is not set: set it to the Redis in which runs wait, redis://HOST")
    environment = deployment.environment() | {"DAGSTER_HOME": str(home(deployment.settings))}
    os.chdir(CHECKOUT)
    os.execve(sys.executable, [sys.executable, *run_queue.command_of_worker(runs)], environment)
