"""Runs of `eas analyze` in processes that have imported everything already, so that a round takes seconds."""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import sys
import traceback
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

PRELOADED = ["tests.chaos.preloaded"]
# A run that takes longer hangs.
MAX_SECONDS = 240

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(PRELOADED)


@dataclass(frozen=True)
class Run:
    """The end of a run: its exit code, None for a killed one, and what it printed."""

    code: int | None
    output: str


def analyze(data: Path, repositories: list[Path], *, kill_after: float | None = None) -> Run:
    """Run `eas analyze` on a data directory; with `kill_after` kill it after so many seconds."""
    log = data.with_suffix(".log")
    process = _context.Process(
        target=_analyze, args=(str(data), [str(one) for one in repositories], str(log))
    )
    process.start()
    process.join(MAX_SECONDS if kill_after is None else kill_after)
    was_killed = process.is_alive()
    if was_killed:
        process.kill()
        process.join()
    output = log.read_text() if log.exists() else ""
    if was_killed and kill_after is None:
        output += "\nTraceback: the run hung"
    return Run(None if was_killed else process.exitcode, output)


def _analyze(data: str, repositories: list[str], log: str) -> None:
    from orchestration import cli

    # dbt's parser in Rust can wait for ever in a forked process.
    os.environ |= {"EAS_DATA_DIR": data, "EAS_WORKERS": "1", "DBT_STATIC_PARSER": "false"}
    code = 1
    with Path(log).open("w", buffering=1) as sink, redirect_stdout(sink), redirect_stderr(sink):
        # Says where a run hangs.
        faulthandler.dump_traceback_later(MAX_SECONDS - 10, file=sink)
        try:
            # Within another program, the command returns its exit code.
            code = int(cli.app(["analyze", *repositories], standalone_mode=False) or 0)
        except BaseException:  # noqa: BLE001 - a traceback is a finding
            traceback.print_exc()
    sys.stdout.flush()
    os._exit(code)
