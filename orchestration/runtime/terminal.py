"""Terminal output: text made safe for a terminal, and progress bars.

Keep out: figures (report/).
"""

from __future__ import annotations

import os
import sys
import time
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

from orchestration.runtime.progress import Progress

# Unicode categories of control, format (for example right-to-left marks), surrogate and private-use characters.
DROPPED_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co"})
# A faster update is not visible, and drawing each of 100,000 commits would take most of the time.
REDRAW_SECONDS = 0.1


def plain(text: str) -> str:
    """Convert foreign text to one line without control sequences for a terminal."""
    return "".join(c for c in " ".join(text.split()) if unicodedata.category(c) not in DROPPED_CATEGORIES)


class Output(Console):
    """Standard output of a command. The command goes on when nobody reads its output any longer (`| head`)."""

    def on_broken_pipe(self) -> None:
        """Discard the rest. Rich would end the thread that prints, while a build waits for it for ever."""
        self.quiet = True
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


class Watcher(Progress):
    """Shows one bar per subject on a terminal, or one line per stage in other output."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bars = Bars(
            TextColumn("{task.fields[subject]}", markup=False, style="bold"),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=30),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._tasks: dict[str, tuple[TaskID, str]] = {}
        self._drawn: dict[str, float] = {}

    @contextmanager
    def watching(self) -> Iterator[Watcher]:
        """Draw the bars while the block runs."""
        with self._bars:
            yield self

    def stage(self, subject: str, stage: str, done: int, total: int) -> None:
        """Show the stage and progress of a subject."""
        known, before = self._tasks.get(subject) or (self._bars.add_task(stage, subject=plain(subject)), "")
        now = time.monotonic()
        if stage != before:
            self._tasks[subject] = (known, stage)
            self._bars.reset(known, description=stage, total=total or None, completed=done)
            if not self._console.is_terminal:
                self.say(f"{subject}: {stage}")
        elif done < total and now - self._drawn.get(subject, 0.0) < REDRAW_SECONDS:
            return
        self._drawn[subject] = now
        self._bars.update(known, completed=done, total=total or None)

    def done(self, subject: str, line: str) -> None:
        """Replace the bar of a subject by a permanent line."""
        known = self._tasks.pop(subject, None)
        if known is not None:
            self._bars.remove_task(known[0])
        self.say(f"{subject}: {line}")

    def say(self, line: str) -> None:
        """Print a permanent line above the bars."""
        self._console.print(plain(line), markup=False, highlight=False, soft_wrap=True)
