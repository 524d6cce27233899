"""The command lines of all processes of this machine during a block."""

from __future__ import annotations

import threading
from pathlib import Path


class Watcher(threading.Thread):
    """Records the command line of every process that appears while it runs."""

    def __init__(self) -> None:
        super().__init__()
        self.commands: set[bytes] = set()
        self._stopped = threading.Event()

    def run(self) -> None:
        while not self._stopped.wait(0.002):
            for file in Path("/proc").glob("[0-9]*/cmdline"):
                try:
                    self.commands.add(file.read_bytes())
                except OSError:
                    continue

    def __enter__(self) -> Watcher:
        self.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._stopped.set()
        self.join()
