"""Erases a person from facts and files: the lake, waiting telemetry, mails, builds, exports and records of runs.

Keep out: decisions (erased_decisions.py), the order of the steps (erasure.py).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterator
from contextlib import closing
from pathlib import Path

import dagster as dg

from api.control.database import database_file
from ingest.connections.erasing import changed_file
from ingest.erasure import texts
from ingest.erasure.marks import Marks
from ingest.lake import Source, erased
from ingest.lake.lake import NOUNS
from ingest.telemetry import spool
from ingest.telemetry.loading import spool_folder
from orchestration.deployment import Deployment
from orchestration.publishing.snapshot import remove_replaced
from orchestration.reading import telemetry
from orchestration.runtime import old_runs
from orchestration.runtime.partitions import CONNECTION_TAG, COPY_TAG, ORGANIZATION_TAG, REPOSITORY_TAG
from orchestration.state.warehouse_files import discard

# Clones have the history of Git, which stays. Parquet and build files are compressed, and are made anew.
UNSEARCHED = frozenset({"mirrors", "published", "warehouse"})


def sources(deployment: Deployment, organization_id: str) -> Iterator[Source]:
    """All sources of facts of an organization."""
    for noun in NOUNS:
        for source_id in deployment.lake.sources(noun, organization_id):
            yield deployment.lake.source(noun, organization_id, source_id)


def erase_facts(deployment: Deployment, organization_id: str, marks: Marks) -> int:
    """Put pseudonyms into all facts, and load waiting telemetry with them. Returns the number of changed sources.

    Raises SourceBusy while another process extracts a source, LakeCorrupt where facts are damaged.
    """
    telemetry.load(deployment, organization_id)
    count = 0
    for source in sources(deployment, organization_id):
        with source.extracting():
            count += erased.rewrite(source, marks, changed_file(marks))
            # What an interrupted repetition of an extraction left; the next one starts again.
            deployment.lake.drafts().source(source.noun, organization_id, source.source_id).clear()
    for segment in spool.damaged(spool_folder(deployment.settings.data_dir) / organization_id):
        # Only its damaged lines are not in the lake, and nothing can read those.
        segment.unlink()
    return count


def erase_builds(deployment: Deployment, organization_id: str) -> None:
    """Delete the warehouse, whose file keeps deleted rows, and copies of facts. The next build makes both again."""
    discard(deployment.settings.warehouse_file(organization_id))
    deployment.lake.discard_copies(organization_id)


def erase_leftovers(
    deployment: Deployment, organization_id: str, marks: Marks, instance: dg.DagsterInstance, started: float
) -> None:
    """After a build without the person: delete older builds, exports, mails, and records of earlier runs."""
    settings = deployment.settings
    remove_replaced(settings.published_dir, organization_id)
    for export in settings.exports_dir.glob("capex-*"):
        export.unlink(missing_ok=True)
    for mail in (settings.data_dir / "outbox" / "mails").glob("*"):
        content = mail.read_bytes().decode(errors="replace")
        if texts.text(marks, content) != content:
            mail.unlink(missing_ok=True)
    own = {organization_id, *(source.source_id for source in sources(deployment, organization_id))}
    for record in instance.get_run_records():
        run = record.dagster_run
        tags = (ORGANIZATION_TAG, REPOSITORY_TAG, CONNECTION_TAG, COPY_TAG)
        tagged = {run.tags.get(tag) for tag in tags}
        # Events and messages of errors may name people.
        if run.is_finished and tagged & own and record.create_timestamp.timestamp() < started:
            old_runs.forget(instance, run)


def compact(deployment: Deployment) -> None:
    """Give the space of deleted rows back, so that no page of SQLite has them any more."""
    files = [database_file(deployment.settings.data_dir), *deployment.settings.dagster_dir.rglob("*.db")]
    for file in files:
        if file is not None and file.is_file():
            with closing(sqlite3.connect(file, timeout=30)) as connection:
                connection.execute("vacuum")
                connection.execute("pragma wal_checkpoint(truncate)")


def naming(deployment: Deployment, words: Collection[str]) -> list[Path]:
    """Files of the data directory that still have one of these words, written as it is or in lower case."""
    found = []
    needles = {word.encode() for one in words for word in (one, one.lower(), one.title()) if len(one) > 3}
    for file in sorted(deployment.settings.data_dir.rglob("*")):
        parts = file.relative_to(deployment.settings.data_dir).parts
        if parts[0] in UNSEARCHED or file.suffix == ".parquet" or not file.is_file() or file.is_symlink():
            continue
        content = file.read_bytes()
        if any(needle in content for needle in needles):
            found.append(file)
    return found
