"""Writes the CapEx report of completed months as a CSV file, by the API's exporter.

Keep out: the content of the file (api/exports/capex.py).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO

from ingest.settings import CHECKOUT
from orchestration.deployment import LOCAL_SLUG, Deployment
from orchestration.runtime.run_state import ExportEntry
from orchestration.state import snapshot_files


class ExportFailed(Exception):
    """The exporter wrote no file. The message says why."""


def start_exporter(
    deployment: Deployment, organization_id: str, output: IO[bytes]
) -> subprocess.Popen[bytes]:
    """A process that writes the file of an organization's current build into `output`."""
    return subprocess.Popen(
        [sys.executable, "-m", "api.exports.capex", organization_id],
        cwd=CHECKOUT,
        env=deployment.environment(),
        stdout=output,
        stderr=subprocess.PIPE,
    )


class CapexExport:
    """The CapEx report of completed months as a CSV file. Its export runs beside this process, once per build.

    It is a process of its own, because `orchestration` may not import the exporter of the API.
    """

    def __init__(self, deployment: Deployment, organization_id: str, build_id: str) -> None:
        self._deployment, self._organization_id, self._build_id = deployment, organization_id, build_id
        self._file = deployment.settings.exports_dir / f"capex-{LOCAL_SLUG}.csv"
        self._process: subprocess.Popen[bytes] | None = None
        if not self._file.exists() or deployment.run_state.export(organization_id) != self._entry():
            self._file.parent.mkdir(parents=True, exist_ok=True)
            # Without a name: an export that outlives a killed run must not write into the file of the next one.
            self._output = tempfile.TemporaryFile(dir=self._file.parent)  # noqa: SIM115 - open until `finished`
            self._process = start_exporter(deployment, organization_id, self._output)

    def finished(self) -> Path:
        """Wait for the file and return its path. Raises ExportFailed."""
        if self._process is not None:
            with self._output:
                self._raise_failure(self._process)
                partial = self._file.with_suffix(f".{os.getpid()}.partial")
                with partial.open("wb") as sink:
                    self._output.seek(0)
                    shutil.copyfileobj(self._output, sink)
            partial.replace(self._file)
            self._deployment.run_state.record(self._organization_id, self._entry())
        return self._file

    @staticmethod
    def _raise_failure(process: subprocess.Popen[bytes]) -> None:
        """Wait for the exporter. Raises ExportFailed when it ended with an error."""
        _, message = process.communicate()
        if code := process.returncode:
            said = message.decode(errors="replace").splitlines()
            # A stack is of no use here; its last line is.
            lines = said[-1:] if any(line.startswith("Traceback") for line in said) else said
            raise ExportFailed("; ".join(lines) or f"its process ended with {code}")

    def _entry(self) -> ExportEntry:
        return ExportEntry(self._build_id, snapshot_files.checksum(self._file))
