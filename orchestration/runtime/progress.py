"""The interface by which long work reports progress.

Keep out: display (terminal.py).
"""

from __future__ import annotations


class Progress:
    """Ignores progress. Subclasses override `stage` to show it."""

    def stage(self, subject: str, stage: str, done: int, total: int) -> None:
        """Report that `done` of `total` steps of a stage are done for a subject. A total of 0 is unknown."""
