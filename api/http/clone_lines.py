"""Lines of code as the clones on this machine have them, read by another process.

A clone holds what strangers pushed, so the process has limits of memory and time. No code is stored. Keep out: who may
read the text of a line (v1/commits), the reading itself (ingest/lines).
"""

from collections.abc import Sequence
from pathlib import Path

import anyio
import anyio.to_process

from ingest.lines import DeliveredFile, read_lines

SECONDS = 20.0
"""Somebody waits for the answer."""


class CloneLines:
    """Reads lines from the clones in `folder`, one at a time."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._limiter = anyio.CapacityLimiter(1)

    async def read(
        self, repository_id: str, origin: str, delivery: str, file: str, copied_from: Sequence[str]
    ) -> DeliveredFile | str:
        """The changed lines of a file in a delivery, or why they are not at hand, as `read_lines` says it.

        A repository at a path is read there; one at an address, in the clone of this machine.
        """
        path = origin if origin.startswith("/") else str(self._folder / f"{repository_id}.git")
        if not await anyio.Path(path).exists():
            return "NO_CLONE"
        try:
            with anyio.fail_after(SECONDS):
                return await anyio.to_process.run_sync(
                    read_lines,
                    path,
                    delivery,
                    file,
                    tuple(copied_from),
                    cancellable=True,
                    limiter=self._limiter,
                )
        except (TimeoutError, anyio.BrokenWorkerProcess):
            return "TOO_LARGE"
