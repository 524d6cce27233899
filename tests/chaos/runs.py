"""Runs of `eas` in processes that have imported everything already, so that a round takes seconds."""

from __future__ import annotations

import faulthandler
import multiprocessing
import os
import resource
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path

from tests.chaos import clock
from tests.chaos.patience import Patience

PRELOADED = ["tests.chaos.preloaded"]
# A run that takes longer on a quiet machine hangs.
MAX_SECONDS = 600
LOOK_SECONDS = 5.0
SECONDS_FOR_STACKS = 5.0
# A proxy that refuses every connection.
NOWHERE = "http://127.0.0.1:9"
HUNG = "\nTraceback: the run hung"

_context = multiprocessing.get_context("forkserver")
_context.set_forkserver_preload(PRELOADED)


@dataclass(frozen=True)
class Surroundings:
    """What differs for one run: its clock (seconds ahead), the largest file that it may write, and its network."""

    clock_offset: int = 0
    max_file_bytes: int | None = None
    is_offline: bool = False


@dataclass
class Interference:
    """What happens while a run goes on: `act` after so many seconds, and whether the run is killed then."""

    after: float
    kills: bool = False
    act: Callable[[], object] | None = None
    happened: bool = field(default=False, init=False)


@dataclass(frozen=True)
class Run:
    """The end of a run: its exit code, None for a killed one, and what it printed."""

    code: int | None
    output: str

    @property
    def has_traceback(self) -> bool:
        """Whether it printed a stack, hung or ended in another way than the command line may."""
        return "Traceback" in self.output or self.code not in (None, 0, 1)


def log_file(name: str) -> Path:
    """The file with the output of a process, on a disk that is not full."""
    return Path(tempfile.gettempdir()) / f"eas-chaos-{os.getpid()}-{name}.log"


def analyze(
    data: Path,
    repositories: Sequence[Path | str],
    *,
    surroundings: Surroundings | None = None,
    interference: Interference | None = None,
) -> Run:
    """Run `eas analyze` on a data directory."""
    arguments = map(str, repositories)
    return eas(data, "analyze", *arguments, surroundings=surroundings, interference=interference)


def eas(
    data: Path,
    *arguments: str,
    surroundings: Surroundings | None = None,
    interference: Interference | None = None,
) -> Run:
    """Run a command of `eas`; with an interference do or kill what it says after its time."""
    log = log_file("run")
    log.unlink(missing_ok=True)
    process = _context.Process(
        target=_run, args=(str(data), arguments, str(log), surroundings or Surroundings())
    )
    process.start()
    was_killed = False
    if interference is not None:
        process.join(interference.after)
        interference.happened = process.is_alive()
        if interference.act is not None:
            interference.act()
        if interference.kills and process.is_alive():
            was_killed = True
            process.kill()
            process.join()
    patience = Patience(MAX_SECONDS)
    while process.is_alive() and patience.lasts(LOOK_SECONDS, process.join):
        pass
    has_hung = process.is_alive()
    if has_hung:
        # It says where it hangs.
        os.kill(process.pid or 0, signal.SIGUSR2)
        process.join(SECONDS_FOR_STACKS)
        process.kill()
        process.join()
    output = log.read_text(errors="replace") if log.exists() else ""
    if was_killed or has_hung:
        return Run(None, output + (HUNG if has_hung else ""))
    return Run(process.exitcode, output)


def _run(data: str, arguments: tuple[str, ...], log: str, surroundings: Surroundings) -> None:
    from orchestration import cli

    # dbt's parser in Rust can wait for ever in a forked process.
    os.environ |= {"EAS_DATA_DIR": data, "EAS_WORKERS": "1", "DBT_STATIC_PARSER": "false"}
    os.environ[clock.OFFSET] = str(surroundings.clock_offset)
    if surroundings.is_offline:
        os.environ |= dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), NOWHERE) | {"no_proxy": ""}
    if surroundings.max_file_bytes is not None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (surroundings.max_file_bytes, resource.RLIM_INFINITY))
    sys.argv[:] = ["eas", *arguments]
    code: object = 1
    write_to(Path(log))
    with Path(log).open("a") as sink:
        faulthandler.register(signal.SIGUSR2, file=sink)
        try:
            cli.main()
        except SystemExit as ended:
            code = ended.code
        except BaseException:  # noqa: BLE001 - a traceback is a finding
            traceback.print_exc()
            code = 70
    sys.stdout.flush()
    os._exit(code if isinstance(code, int) else 0 if code is None else 1)


def write_to(log: Path) -> None:
    """Let this process and those that it starts write to a file."""
    with log.open("a") as sink:
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]  # no method of TextIO
            os.dup2(sink.fileno(), stream.fileno())


def start(target: Callable[..., None], *arguments: object) -> BaseProcess:
    """Start a process that has imported everything already."""
    process = _context.Process(target=target, args=arguments)
    process.start()
    return process
