"""Signals that end a command or a run: Ctrl-C (SIGINT) and SIGTERM mean the same.

While Dagster executes a run, it replaces the handlers of both, and takes the signal for a failure of that run alone. A
pipe below the handlers records every signal, so that whoever started the run ends as well.
Keep out: the servers of `eas serve`, which are stopped in turn (commands/serving.py).
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

SIGNALS = (signal.SIGINT, signal.SIGTERM)
CODE_OF_SIGNALS = 128
"""Shells report a process that a signal ended with this code and the number of the signal."""
CODE_OF_CTRL_C = CODE_OF_SIGNALS + signal.SIGINT

_recorded = set(SIGNALS)
_received: list[int] = []
_pipe: list[int] = []


def watch() -> None:
    """Record the signals of this process from now on. SIGTERM raises KeyboardInterrupt, as SIGINT does.

    A script starts a command in the background with SIGINT ignored, and it stays so. Dagster gives SIGTERM the handler
    of SIGINT, so a handler that does nothing takes the place of none at all: a signal that is ignored leaves no record.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        _recorded.discard(signal.SIGINT)
        signal.signal(signal.SIGINT, _pass_over)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    if not _pipe:
        _pipe.extend(os.pipe())
        for end in _pipe:
            os.set_blocking(end, False)
        signal.set_wakeup_fd(_pipe[1], warn_on_full_buffer=False)


def _pass_over(_number: int, _frame: FrameType | None) -> None:
    """Do nothing."""


def _all_received() -> list[int]:
    """The signals that arrived since `watch`, the first one first."""
    with suppress(BlockingIOError):
        _received.extend(number for number in os.read(_pipe[0], 64) if number in _recorded)
    return _received


def received() -> int:
    """The number of signals since `watch`; 0 without it."""
    return len(_all_received()) if _pipe else 0


@contextmanager
def passed_on() -> Iterator[None]:
    """Raise KeyboardInterrupt after the block if a signal arrived in it, and keep the handlers that it replaces."""
    if threading.current_thread() is not threading.main_thread():
        yield  # Python and Dagster leave signals to the main thread
        return
    watch()
    before = len(_all_received())
    handlers = {number: signal.getsignal(number) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    if len(_all_received()) > before:
        raise KeyboardInterrupt


def exit_code() -> int:
    """The exit code of a process that a signal ended. From now on a further signal ends it at once."""
    code = CODE_OF_SIGNALS + next(iter(_all_received()), signal.SIGINT)

    def end(_number: int, _frame: FrameType | None) -> None:
        os._exit(code)

    for number in SIGNALS:
        signal.signal(number, end)
    return code
