"""Loads what AI tools have sent to an organization from the spool into the lake.

Commands, nights and builds call it before they look whether a build is due. Keep out: rows (ingest/telemetry), the
receiver (api/otlp).
"""

from __future__ import annotations

from datetime import timedelta

from ingest.lake import Source
from ingest.telemetry import loading
from ingest.telemetry.loading import Loaded
from orchestration.deployment import Deployment

STALE_AFTER = timedelta(hours=36)
"""Age from which what waits is late: a night was missed."""


def source_of(deployment: Deployment, organization_id: str) -> Source:
    """The source in the lake that holds the telemetry of an organization."""
    return deployment.lake.source(loading.NOUN, organization_id, loading.SOURCE)


def load(deployment: Deployment, organization_id: str, *, thorough: bool = False) -> Loaded:
    """Load what waits, and mend what is damaged (`thorough`: by contents).

    Raises SourceBusy while another process does, LakeCorrupt, and OSError where a disk is full.
    """
    return loading.load(
        source_of(deployment, organization_id), deployment.settings.data_dir, thorough=thorough
    )
