"""Figures that the data directory tells at each reading: builds, waiting telemetry, runs, free space.

Each is a number over all organizations. Keep out: what processes count (api/instruments.py).
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from prometheus_client.core import GaugeMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

from api.monitoring import runs
from api.operator.environment import value_of
from api.operator.release import release
from api.snapshot.pointers import POINTER
from ingest.telemetry import spool


class DirectoryFigures(Collector):
    """The figures of one data directory."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir

    def collect(self) -> Iterable[Metric]:
        """All figures at this moment."""
        info = GaugeMetricFamily("eas_release", "1, with the release that serves.", labels=["release"])
        info.add_metric([release()], 1)
        yield info
        yield from self._builds()
        yield from self._telemetry()
        file = self._data_dir / "dagster" / "history" / "runs.db"
        yield from runs.figures(file, value_of("EAS_DAGSTER_DATABASE_URL"))
        yield _gauge(
            "eas_disk_free_bytes",
            "Free bytes of the disk of the data directory.",
            shutil.disk_usage(self._data_dir).free,
        )

    def _builds(self) -> Iterator[Metric]:
        now = time.time()
        pointers = (self._data_dir / "published").glob(f"*/{POINTER}")
        ages = [now - changed for pointer in pointers if (changed := _changed(pointer)) is not None]
        yield _gauge("eas_published_organizations", "Organizations that have a published build.", len(ages))
        if ages:
            yield _gauge("eas_newest_build_age_seconds", "Age of the newest published build.", min(ages))
            yield _gauge(
                "eas_oldest_build_age_seconds",
                "Age of the build of the organization whose build is the oldest.",
                max(ages),
            )

    def _telemetry(self) -> Iterator[Metric]:
        folders = [folder for folder in self._spool.glob("*") if folder.is_dir()]
        sizes = [size for folder in folders for path in spool.pending(folder) if (size := _size(path))]
        begins = [began for folder in folders if (began := spool.waiting_since(folder)) is not None]
        yield _gauge(
            "eas_telemetry_waiting_files", "Files of telemetry that the lake does not have.", len(sizes)
        )
        yield _gauge("eas_telemetry_waiting_bytes", "Their bytes.", sum(sizes))
        yield _gauge(
            "eas_telemetry_waiting_seconds",
            "Age of the oldest of them; 0 where none waits.",
            time.time() - min(begins).timestamp() if begins else 0,
        )
        damaged = sum(len(spool.damaged(folder)) for folder in folders)
        yield _gauge(
            "eas_telemetry_damaged_files", "Files of telemetry that were set aside as damaged.", damaged
        )

    @property
    def _spool(self) -> Path:
        return self._data_dir / "telemetry" / "spool"


def _gauge(name: str, meaning: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, meaning, value=value)


def _changed(path: Path) -> float | None:
    try:
        return path.stat().st_mtime
    except OSError:
        return None


def _size(path: Path) -> int | None:
    # A run takes files away at any time.
    try:
        return path.stat().st_size
    except OSError:
        return None
