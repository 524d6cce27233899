"""The server that forks the processes of readings: it imports once what each of them needs."""

from __future__ import annotations

import multiprocessing
import os
from multiprocessing.context import ForkServerContext

PRELOADED = ("__main__", "ingest.git.extract", "ingest.git.supervision")


def fork_server() -> ForkServerContext:
    """The context that starts processes through the server. The first call of a process decides what the server has."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(list(PRELOADED))
    # The server multiplies no matrices, and numpy's threads for it would spin from the start on.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    return context
