"""The exporter of the CapEx file in this process: its own process imports the API anew for each build."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO
from unittest.mock import patch

import duckdb

from api.errors import ApiError
from api.exports import capex
from orchestration.deployment import Deployment
from orchestration.report import capex_export


@dataclass
class _ExporterHere:
    """As much of a process as its caller uses. It runs when its caller waits for it."""

    deployment: Deployment
    organization_id: str
    output: IO[bytes]
    returncode: int | None = None

    def communicate(self) -> tuple[None, bytes]:
        try:
            with patch.dict(os.environ, self.deployment.environment(), clear=True):
                capex.main(self.organization_id, self.output)
        except (ApiError, OSError, duckdb.Error) as error:
            self.returncode = 1
            return None, " ".join(str(error).split()).encode()
        self.output.flush()
        self.returncode = 0
        return None, b""


@contextmanager
def exporting_here() -> Iterator[None]:
    """Let commands of this process export in it."""
    with patch.object(capex_export, "start_exporter", _ExporterHere):
        yield
