"""Reads a repository that is open, and says what it found.

Keep out: opening repositories (repositories.py), recording the result (graph/assets/git.py).
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from ingest.git.extract import ExtractionReport
from ingest.git.extract import Progress as Step
from ingest.git.repository_source import RepositorySource
from ingest.git.supervision import Readers
from orchestration.deployment import Deployment
from orchestration.runtime.progress import Progress
from orchestration.state import fingerprints

NOUN = "git"


@dataclass(frozen=True)
class Reading:
    """One extraction: rows by table before it, fingerprint of what it read, report, begin, and seconds of wall time."""

    rows_before: Mapping[str, int]
    fingerprint: str
    report: ExtractionReport
    began_at: datetime
    seconds: float


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
    before = deployment.lake.source(NOUN, source.organization_id, source.repository_id).state().rows
    # Taken before the extraction, so that commits pushed during it count as new afterwards.
    fingerprint = fingerprints.of_repository(source)
    report = readers.read(source, workers=workers, anew=anew, on_progress=report_progress)
    return Reading(before, fingerprint, report, began_at, time.monotonic() - started)
