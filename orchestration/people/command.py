"""The work of `eas person export`: the export, and the sentence and exit code that its end has.

Keep out: arguments (cli/person_exports.py).
"""

from __future__ import annotations

from pathlib import Path

from api.control.errors import ControlError
from ingest.errors import LakeCorrupt
from orchestration.deployment import Deployment
from orchestration.people.folder import ExportRefused, export
from orchestration.people.person import UnknownPerson


class ExportFailed(Exception):
    """Facts are damaged. The message says what helps."""


def run(deployment: Deployment, organization: str, address: str, folder: Path) -> str:
    """Export a person, and say what was written. Raises ExportRefused, ExportFailed."""
    try:
        done = export(deployment, organization, address, folder)
    except (ControlError, UnknownPerson) as error:
        raise ExportRefused(str(error)) from error
    except LakeCorrupt as error:
        raise ExportFailed(f"{error}; run `eas doctor --fix`") from error
    count, files = sum(done.rows.values()), len(done.rows)
    return f"Wrote {count:,} rows in {files:,} files to {folder}. Only you can read the folder."
