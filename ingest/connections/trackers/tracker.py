"""A tracker is a provider of issues."""

from __future__ import annotations

from ingest.connections.model import Provider
from ingest.schemas.trackers import ISSUE_TRACKER


class Tracker(Provider):
    """An issue tracker: items of three levels."""

    category = ISSUE_TRACKER
