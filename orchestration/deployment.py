"""One deployment: the locations of its lake, control database, run state and warehouses.

Add: paths and names that both the command line and Dagster need. Keep out: work, and the import of Dagster, which
takes a second that a command without work must not spend.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cached_property

from api.control.database import reporting_damage
from api.control.organizations.warehouse_engines import own_engine
from api.control.store import ControlStore, open_store
from api.operator.environment import value_of
from api.operator.release import release
from ingest.lake import Lake
from ingest.reach import Reach
from ingest.settings import CHECKOUT, Settings
from orchestration.runtime.run_state import RunState

DBT_PROJECT = CHECKOUT / "dbt_project"
# The organization of the command line. It is constant, so a repository gets the same ids on every machine.
LOCAL_ORGANIZATION = "0190d3b0-0000-7000-8000-000000000001"
LOCAL_SLUG = "local"


def machine_settings() -> Settings:
    """The settings of this machine, as the environment has them. Raises StartRefused."""
    given = {name: value_of(f"EAS_{name.upper()}") for name in Settings.model_fields if name != "reach"}
    given["raw_dir"] = given["raw_dir"] or value_of("RAW_DIR")
    given["reach"] = Reach(*(value_of("EAS_PRIVATE_HOSTS") or ()))
    return Settings(**{name: value for name, value in given.items() if value is not None})


class Deployment:
    """The settings and stores of one deployment on this machine. Each store is opened at its first use."""

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or machine_settings()

    @cached_property
    def lake(self) -> Lake:
        """The raw lake."""
        return Lake(self.settings.raw_root, self.settings.lake_folder)

    @cached_property
    def run_state(self) -> RunState:
        """The state that earlier runs on this machine stored. Releases before 0.6 named its folder `journal`."""
        folder, earlier = self.settings.data_dir / "run_state", self.settings.data_dir / "journal"
        if earlier.is_dir() and not folder.exists():
            with suppress(OSError):  # another process has just renamed it
                earlier.rename(folder)
        return RunState(folder)

    @contextmanager
    def control(self) -> Iterator[ControlStore]:
        """Open the control database and migrate it to this release.

        Raises SchemaTooNew if it is newer, DatabaseLost or DatabaseDamaged, which say what helps.
        """
        with reporting_damage(self.settings.data_dir):
            store = open_store(self.settings.data_dir)
            try:
                yield store
            finally:
                store.close()

    @property
    def warehouse_engine(self) -> str:
        """The engine of builds of organizations without one of their own: duckdb or spark. Raises StartRefused."""
        return value_of("EAS_WAREHOUSE_ENGINE") or "duckdb"

    def engine_of(self, organization_id: str) -> str:
        """The engine of an organization's next build. Raises StartRefused."""
        with self.control() as control:
            return own_engine(control, organization_id) or self.warehouse_engine

    def environment(self) -> dict[str, str]:
        """Environment variables for a process that works on this deployment from any folder, without telemetry."""
        return os.environ | {
            "EAS_DATA_DIR": str(self.settings.data_dir),
            "EAS_RAW_DIR": self.settings.raw_root,
            "DO_NOT_TRACK": "1",
            "DAGSTER_DISABLE_TELEMETRY": "yes",
            "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
        }

    @property
    def calculation_version(self) -> str:
        """Version of the service, 0.minor.patch. It identifies the rules behind the published figures."""
        return release()
