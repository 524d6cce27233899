"""Operations that wait for a repository to be read, and the run that answers them.

Keep out: starting that run (repository_sensors.py), what differs (reanalysis.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from api.control.repositories import sync_status
from api.control.repositories.sync_status import Waiting
from ingest.errors import SourceBusy
from ingest.lake import Source
from orchestration.deployment import Deployment
from orchestration.operations import reanalysis
from orchestration.operations.reanalysis import CommitFacts
from orchestration.state.repositories import KnownRepository


@dataclass
class Asked:
    """What was asked of a run before it began. `anew`: all facts are to be made again."""

    waiting: Sequence[Waiting]
    before: dict[str, CommitFacts] = field(default_factory=dict)

    @property
    def anew(self) -> bool:
        """Whether somebody wants to know what reading from scratch gives."""
        return any(one.commit_sha for one in self.waiting)

    def remember(self, source: Source) -> None:
        """Take down what is known now of the commits that were asked about."""
        for sha in {one.commit_sha for one in self.waiting if one.commit_sha}:
            self.before[sha] = reanalysis.facts_of(source, sha)


@contextmanager
def answering(deployment: Deployment, known: KnownRepository, source: Source) -> Iterator[Asked]:
    """Answer what waits for a repository at the end of the block, or say there why it could not be read.

    A process that is killed in between leaves everything waiting.
    """
    with deployment.control() as control:
        asked = Asked(sync_status.begin(control, known.organization_id, known.repository_id))
    try:
        asked.remember(source)
        yield asked
    except SourceBusy:
        # Whoever holds it began before: what waits is answered by the next run.
        raise
    except Exception as error:
        with deployment.control() as control:
            ids = [one.operation_id for one in asked.waiting]
            sync_status.refuse(control, ids, str(error) or type(error).__name__)
        raise
    after = {sha: reanalysis.facts_of(source, sha) for sha in asked.before}
    results = {
        one.operation_id: reanalysis.changes(asked.before[one.commit_sha], after[one.commit_sha])
        if one.commit_sha
        else None
        for one in asked.waiting
    }
    with deployment.control() as control:
        sync_status.answer(control, results)
