"""Reads a repository that is open, and says what it found.

Keep out: opening repositories (repositories.py), recording the result (readings.py).
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from ingest.errors import LakeCorrupt, Permanent, Transient
from ingest.git.cache_validity import unread_objects
from ingest.git.extract import ExtractionReport
from ingest.git.extract import Progress as Step
from ingest.git.remote import clone
from ingest.git.repository_source import RepositorySource, mirror_of
from ingest.git.supervision import Readers
from orchestration.deployment import Deployment
from orchestration.runtime.progress import Progress
from orchestration.state import fingerprints

NOUN = "git"
# One that Git cannot read is enough.
MAX_OBJECTS_CHECKED = 20


@dataclass(frozen=True)
class Reading:
    """One extraction: the repository, its rows by table before, the fingerprint of what was read, the report, the time
    of the begin, and seconds of wall time.
    """

    source: RepositorySource
    rows_before: Mapping[str, int]
    fingerprint: str
    report: ExtractionReport
    began_at: datetime
    seconds: float


@contextmanager
def _deleting_damaged_clone(deployment: Deployment, source: RepositorySource) -> Iterator[None]:
    """Delete a clone with objects that Git cannot read either, and raise Transient: the next run makes another.

    The host sent them complete, or Git would have refused them. No build reads the facts until then.
    """
    facts = deployment.lake.source(NOUN, source.organization_id, source.repository_id)
    try:
        yield
    except Permanent as error:
        if type(error) is not Permanent or not source.is_trusted_mirror or clone.has_all_commits(source.path):
            raise
    else:
        unread = unread_objects(facts)[:MAX_OBJECTS_CHECKED] if source.is_trusted_mirror else []
        if not unread or clone.has_objects(source.path, unread):
            return
    reason = "objects of its clone are damaged"
    facts.mark_damaged(reason)
    clone.discard(mirror_of(deployment.settings, source.repository_id), source.name)
    raise Transient(f"{source.name}: {reason}, so the clone was deleted: run again to clone it anew.")


def _rows(deployment: Deployment, source: RepositorySource) -> Mapping[str, int]:
    """Rows by table in the lake; none where the state is damaged, because the extraction then starts from nothing."""
    try:
        return deployment.lake.source(NOUN, source.organization_id, source.repository_id).state().rows
    except LakeCorrupt:
        return {}


def read(
    deployment: Deployment,
    readers: Readers,
    source: RepositorySource,
    progress: Progress,
    *,
    workers: int,
    anew: bool = False,
) -> Reading:
    """Extract a repository in a process of its own. `anew` extracts the whole history again.

    Raises the errors of `Readers.read`.
    """

    def report_progress(step: Step) -> None:
        progress.stage(source.name, step.stage, step.done, step.total)

    started, began_at = time.monotonic(), fingerprints.now()
    before = _rows(deployment, source)
    # Taken before the extraction, so that commits pushed during it count as new afterwards.
    fingerprint = fingerprints.of_repository(source)
    with _deleting_damaged_clone(deployment, source):
        report = readers.read(source, workers=workers, anew=anew, on_progress=report_progress)
    return Reading(source, before, fingerprint, report, began_at, time.monotonic() - started)
