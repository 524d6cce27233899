"""What long work tells whoever watches.

Keep out: how it is shown (terminal.py).
"""

from __future__ import annotations


class Progress:
    """Silent; a watcher overrides `stage`."""

    def stage(self, subject: str, stage: str, done: int, total: int) -> None:
        """`done` of `total` steps of a stage are done for a subject; a total of 0 means that it is unknown."""
