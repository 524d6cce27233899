"""The reading of one connection as work for a process of its own: what a provider sends must not take the machine.

Keep out: limits of the process (`ingest.git.supervision`), the reading itself (`ingest.connections.sync`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection as Pipe

from ingest.connections.contents import Contents, contents_of
from ingest.connections.model import Connection, WantedRepository
from ingest.connections.progress import SyncReport
from ingest.connections.sync import Sync
from ingest.errors import IngestError, LimitExceeded, ProviderRefused
from ingest.git.changes.workers import die_with_parent
from ingest.git.supervision import Readers
from ingest.lake import Lake
from ingest.providers.registry import client_of, provider
from ingest.reach import Reach

OnProgress = Callable[[str, int], None]
"""Called with the name of a stream and the number of rows so far."""
MAX_MEMORY_MB = 2_048
"""A reader holds one batch of rows, and the ids of all rows of the connection: about 300 bytes for each."""


@dataclass
class ConnectionRead:
    """What a reading found before its end, or before its error. A defect is raised instead."""

    report: SyncReport = field(default_factory=SyncReport)
    contents: Contents = field(default_factory=Contents)
    error: IngestError | None = None


@dataclass(frozen=True)
class ConnectionReading:
    """One run over a connection. Its caller has the exclusive right to extract the source."""

    lake: Lake
    connection: Connection
    wanted: Sequence[WantedRepository]
    reach: Reach
    is_full: bool

    def __call__(self, pipe: Pipe) -> ConnectionRead:
        threading.Thread(target=die_with_parent, daemon=True).start()
        connection, of_kind = self.connection, provider(self.connection.kind)
        noun = of_kind.category.noun
        source = self.lake.source(noun, connection.organization_id, connection.id)
        with client_of(connection, self.reach) as client:
            made = Sync(
                source,
                connection,
                of_kind,
                client,
                self.wanted,
                is_full=self.is_full,
                on_progress=lambda stream, rows: pipe.send((stream, rows)),
            )
            read = ConnectionRead(made.report)
            try:
                made.run()
            except IngestError as error:
                read.error = error
            read.contents = contents_of(source, of_kind, has_ended=read.error is None)
            if isinstance(read.error, ProviderRefused):
                try:
                    made.explain(read.error)
                except IngestError as error:
                    read.error = error
        return read

    def run(self, readers: Readers, name: str, on_progress: OnProgress) -> ConnectionRead:
        """The reading in a process of its own. Raises LimitExceeded at its limits, Transient where it died."""
        try:
            return readers.run(name, self, lambda told: on_progress(*told), max_memory_mb=MAX_MEMORY_MB)
        except LimitExceeded as error:
            raise error.within(f"{name}, whose provider may answer without end") from error
