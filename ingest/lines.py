"""Single lines of a clone, read in a process of their own: what of Git the API may import beside `probe`.

Add: nothing that changes or fetches. Every process of the API imports this module, so it imports little; the process
that reads imports the rest (`ingest.git.single_lines.reading`).
"""

from collections.abc import Sequence
from importlib import import_module

from ingest.git.single_lines.lines import AddedLine, DeliveredFile, RemovedLine

__all__ = ["AddedLine", "DeliveredFile", "RemovedLine", "read_lines"]


def read_lines(path: str, delivery: str, file: str, copied_from: Sequence[str]) -> DeliveredFile | str:
    """The changed lines of a file in a delivery of the clone at `path`, or why they are not at hand.

    `NO_CLONE`: there is none that can be opened. `TOO_LARGE`: the delivery takes longer than anybody waits.
    `UNREADABLE`: the clone lacks an object, or nothing can be written for the reading.
    """
    reading = import_module("ingest.git.single_lines.reading")
    found: DeliveredFile | str = reading.read_lines(path, delivery, file, copied_from)
    return found
