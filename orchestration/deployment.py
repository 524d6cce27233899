"""One deployment: where its lake, control database, run state and warehouses are.

Add: places and names that both the command line and Dagster need. Keep out: Dagster (importing it costs a
second, which a command with nothing to do must not pay) and anything that does work.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from importlib.metadata import version

from api.control.store import ControlStore, open_store
from ingest.lake import Lake
from ingest.settings import CHECKOUT, Settings
from orchestration.runtime.run_state import RunState

DBT_PROJECT = CHECKOUT / "dbt_project"
# The organization of the command line. Constant, so that the same repository gives the same ids on any machine.
LOCAL_ORGANIZATION = "0190d3b0-0000-7000-8000-000000000001"
LOCAL_SLUG = "local"


class Deployment:
    """What belongs together on this machine. Cheap to make; opens nothing until asked."""

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()

    @cached_property
    def lake(self) -> Lake:
        """The raw lake."""
        return Lake(self.settings.raw_root)

    @cached_property
    def run_state(self) -> RunState:
        """What earlier runs on this machine left for later ones."""
        return RunState(self.settings.data_dir / "journal")

    @contextmanager
    def control(self) -> Iterator[ControlStore]:
        """The control database, migrated to this release. Raises SchemaTooNew."""
        store = open_store(self.settings.data_dir)
        try:
            yield store
        finally:
            store.close()

    def environment(self) -> dict[str, str]:
        """Environment of a process that works on this deployment from another folder, and tells nobody about it."""
        return os.environ | {
            "EAS_DATA_DIR": str(self.settings.data_dir),
            "EAS_RAW_DIR": self.settings.raw_root,
            "DO_NOT_TRACK": "1",
            "DAGSTER_DISABLE_TELEMETRY": "yes",
            "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
        }

    @property
    def calculation_version(self) -> str:
        """Version of the service, which names the rules that its numbers were made by."""
        return version("engineering-analytics-service")
