"""Readings of repositories and connections: each is opened, read and recorded here, whoever asks for it.

A command and a night begin many at once, before the runs that record them (ADR 20). A run asks for the reading of its
repository: one that was begun, or a new one. Keep out: the pool (pool.py), the extraction itself (extraction.py).
"""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import replace
from typing import Any

from ingest.errors import SourceBusy
from ingest.git.repository_source import RepositorySource, on_branch
from ingest.git.supervision import Readers
from orchestration.deployment import Deployment
from orchestration.operations.results import PendingOperations, answering_operations
from orchestration.reading import repositories
from orchestration.reading.extraction import NOUN, Reading, read
from orchestration.reading.repositories import KnownRepository, address
from orchestration.runtime.progress import Progress
from orchestration.runtime.run_state import RepositoryEntry
from orchestration.state import fingerprints, outcomes
from orchestration.state.outcomes import RepositoryOutcome


class Readings:
    """The readings of one process, by the id of the repository or connection."""

    def __init__(self) -> None:
        self._opened: dict[str, RepositorySource] = {}
        self._begun: dict[str, Future[Reading]] = {}
        self._synced: dict[str, Future[Any]] = {}

    def add_sync(self, connection_id: str, reading: Future[Any]) -> None:
        """Add the reading of a connection, which has ended."""
        self._synced[connection_id] = reading

    def synced(self, connection_id: str) -> Any:
        """The `Synced` of a connection that was added, once, else None. Raises the errors of `syncs.sync`."""
        ended = self._synced.pop(connection_id, None)
        return ended.result() if ended is not None else None

    def add(self, source: RepositorySource, reading: Future[Reading]) -> None:
        """Add a reading that the caller has begun."""
        self._opened[source.repository_id] = source
        self._begun[source.repository_id] = reading

    def refuse(self, known: KnownRepository, error: Exception) -> None:
        """Let the run of a repository fail with the error that the caller met when it opened the repository."""
        refused: Future[Reading] = Future()
        refused.set_exception(error)
        self._begun[known.repository_id] = refused

    def read(
        self, deployment: Deployment, known: KnownRepository, progress: Progress, *, workers: int
    ) -> Reading:
        """The reading that was begun, or a new one with so many `workers`, for the operations that wait for it.

        Records the outcome. Raises the errors of opening and of `Readers.read`.
        """
        facts = deployment.lake.source(NOUN, known.organization_id, known.repository_id)
        try:
            with answering_operations(deployment, known, facts) as pending:
                reading = self._begun_for(known, pending)
                if reading is None:
                    source = self.open(deployment, known, progress)
                    readers = Readers(deployment.settings)
                    reading = read(deployment, readers, source, progress, workers=workers, anew=pending.anew)
                outcome = _outcome(deployment, known, reading)
                outcomes.record(deployment, outcome)
        except Exception as error:
            reason, is_busy = f"{error}" or type(error).__name__, isinstance(error, SourceBusy)
            entry = _entry(deployment, known)
            outcomes.record(
                deployment, outcomes.failed(known.organization_id, entry, reason, is_busy=is_busy)
            )
            raise
        return reading

    def _begun_for(self, known: KnownRepository, pending: PendingOperations) -> Reading | None:
        """The reading that was begun, unless it cannot answer the operations that wait."""
        begun = self._begun.pop(known.repository_id, None)
        if begun is None or (pending.anew and known.repository_id in self._opened):
            return None
        reading = begun.result()
        return reading if pending.latest is None or reading.began_at >= pending.latest else None

    def open(self, deployment: Deployment, known: KnownRepository, progress: Progress) -> RepositorySource:
        """The repository as the caller opened it, on the branch that people chose, or opened now."""
        source = self._opened.get(known.repository_id)
        if source is None:
            return repositories.open_known(deployment, known, progress)
        return on_branch(source, known.chosen_branch) if known.chosen_branch is not None else source


def _outcome(deployment: Deployment, known: KnownRepository, reading: Reading) -> RepositoryOutcome:
    facts = deployment.lake.source(NOUN, known.organization_id, known.repository_id).state()
    entry = replace(
        _entry(deployment, known),
        name=reading.source.name,
        state=reading.fingerprint,
        succeeded_at=fingerprints.now().isoformat(timespec="seconds"),
        failed_at=None,
        error=None,
        commits=reading.report.commits_total,
        seconds=round(reading.seconds, 3),
        batch=facts.batch,
        facts=facts.digest(),
    )
    return RepositoryOutcome(known.organization_id, entry, branches=reading.report.branches)


def _entry(deployment: Deployment, known: KnownRepository) -> RepositoryEntry:
    """The entry of the last run, or a new one."""
    found = deployment.run_state.repository(known.organization_id, known.repository_id)
    return found or RepositoryEntry(known.repository_id, known.name, address(known))
