"""Completes the operations that wait for the extraction of a repository.

Keep out: the request of that run (repository_sensors.py), the comparison of facts (reanalysis.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from api.control.repositories import sync_status
from api.control.repositories.sync_status import ReadableRepository, Waiting
from ingest.errors import SourceBusy
from ingest.lake import Source
from orchestration.deployment import Deployment
from orchestration.operations import reanalysis
from orchestration.operations.reanalysis import CommitFacts


@dataclass
class PendingOperations:
    """Operations that wait for a run. `before` maps the SHA of each commit in question to its facts before the run."""

    waiting: Sequence[Waiting]
    before: dict[str, CommitFacts] = field(default_factory=dict)

    @property
    def anew(self) -> bool:
        """Whether an operation needs a complete extraction: one asks for the analysis of a commit again."""
        return any(one.commit_sha for one in self.waiting)

    @property
    def latest(self) -> datetime | None:
        """Time of the latest operation. Only a reading that begins later answers it."""
        return max((one.at for one in self.waiting), default=None)

    def record_facts(self, source: Source) -> None:
        """Record the present facts of the commits in question."""
        for sha in {one.commit_sha for one in self.waiting if one.commit_sha}:
            self.before[sha] = reanalysis.facts_of(source, sha)


@contextmanager
def answering_operations(
    deployment: Deployment, known: ReadableRepository, source: Source
) -> Iterator[PendingOperations]:
    """Complete the waiting operations at the end of the block; an error of the block becomes their failure.

    If the process is killed, the operations keep waiting.
    """
    with deployment.control() as control:
        pending = PendingOperations(sync_status.begin(control, known.organization_id, known.repository_id))
    try:
        pending.record_facts(source)
        yield pending
    except SourceBusy:
        # Another process started before these operations, so the next run completes them.
        raise
    except Exception as error:
        with deployment.control() as control:
            ids = [one.operation_id for one in pending.waiting]
            sync_status.refuse(control, ids, str(error) or type(error).__name__)
        raise
    after = {sha: reanalysis.facts_of(source, sha) for sha in pending.before}
    results = {
        one.operation_id: reanalysis.changes(pending.before[one.commit_sha], after[one.commit_sha])
        if one.commit_sha
        else None
        for one in pending.waiting
    }
    with deployment.control() as control:
        sync_status.answer(control, results)
