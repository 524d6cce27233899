"""The deployment that lives through the days: its disk, its clock, its repositories, its keys and its API.

Keep out: what happens on a day.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import httpx

from tests.chaos import clock, disk, runs, serving
from tests.chaos.runs import Interference, Run, Surroundings
from tests.chaos.soak.deliveries import Deliveries
from tests.ingest.git.remote.http_remote import HttpRemote

FIRST_DAY, FIRST_HOUR = 20, 10
"""The first day is the 20th of a month, so that a month ends meanwhile; days begin at this hour (UTC)."""


class Deployment:
    """A data directory on a disk of its own, with an API whose process may be killed."""

    def __init__(self, folder: Path, remote: HttpRemote, chance: Random, *, has_own_disk: bool) -> None:
        self.folder, self.chance, self.has_own_disk = folder, chance, has_own_disk
        self.data = folder / "data"
        self.clock = clock.SharedClock()
        self._begin(_first_day())
        self.deliveries = Deliveries(folder, remote.root, chance)
        self.sources: list[Path | str] = [folder / "house", folder / "shed", remote.url("barn.git")]
        self._open = ExitStack()
        self.deliveries.of_day(self.clock.now())
        started = time.monotonic()
        done = self.analyze()
        self.seconds = time.monotonic() - started
        """How long an undisturbed run takes."""
        if done.code != 0:
            raise SystemExit(f"an undisturbed run failed:\n{done.output}")
        self.key = self._word("token", "create", "--name", "soak", "--write")
        self.ingest_key = self._word("ingest-token", "create", "--name", "laptops")
        self.serve()

    def close(self) -> None:
        """End the API."""
        self._open.close()

    def begin_next_day(self) -> datetime:
        """Move the clock of all processes, the API among them, to the morning of the next day."""
        today = datetime.fromtimestamp(self.clock.now(), UTC)
        morning = (today + timedelta(days=1)).replace(hour=FIRST_HOUR, minute=0, second=0, microsecond=0)
        self._begin(morning)
        return morning

    def _begin(self, morning: datetime) -> None:
        self.clock.move_to(morning.timestamp())

    def serve(self) -> None:
        """Start the API anew."""
        self._open.close()
        self.served = self._open.enter_context(serving.served(self.data))

    def kill_api(self) -> None:
        """Kill the API, and start it anew."""
        self.served.process.kill()
        self.served.process.join()
        self.serve()

    def client(self) -> httpx.Client:
        """A client of the API as it is now."""
        return serving.client_of(self.served.address, self.key)

    def analyze(
        self, *, surroundings: Surroundings | None = None, interference: Interference | None = None
    ) -> Run:
        """Read all repositories and publish, as a night does."""
        return runs.analyze(self.data, self.sources, surroundings=surroundings, interference=interference)

    @contextmanager
    def little_room(self, room: int) -> Iterator[Surroundings]:
        """Leave so many bytes on the disk; without a disk of its own, limit the size of files instead."""
        if not self.has_own_disk:
            yield Surroundings(max_file_bytes=room)
            return
        disk.leave(self.data, room)
        try:
            yield Surroundings()
        finally:
            disk.resize(self.data, disk.PLENTY)

    def _word(self, *arguments: str) -> str:
        """The last word that a command prints."""
        return runs.eas(self.data, *arguments).output.split()[-1]


def _first_day() -> datetime:
    """The next 20th of a month, so that no file is newer than the clock."""
    day = datetime.now(UTC).replace(hour=FIRST_HOUR, minute=0, second=0, microsecond=0) + timedelta(days=1)
    while day.day != FIRST_DAY:
        day += timedelta(days=1)
    return day
