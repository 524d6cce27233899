"""Fingerprints of the inputs of a result. If they are unchanged, a run is unnecessary.

Add: an input of results. Keep out: reactions to a difference (commands/analysis.py, sensors.py).
A fingerprint takes milliseconds: it reads a few hundred small files and the refs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

import pyarrow as pa

from ingest.git.objects.refs import extracted_refs
from ingest.git.objects.repository import open_repository
from ingest.git.objects.upstream import upstream_heads
from ingest.git.repository_source import RepositorySource
from ingest.lake import Lake, SourceState
from ingest.schemas import TABLES
from ingest.settings import CHECKOUT
from orchestration.deployment import DBT_PROJECT, Deployment

# Folders and files that dbt and Python generate below the project.
GENERATED = frozenset({"target", "logs", "dbt_packages", "__pycache__"})


def of_repository(source: RepositorySource) -> str:
    """Fingerprint of the inputs of extraction: refs and a parent's, remote URL, shallow or partial state, and code.

    Raises the errors of `open_repository`.
    """
    repository = open_repository(source.path)
    refs = [
        (ref.name, ref.kind, ref.head_sha, ref.is_default)
        for ref in extracted_refs(repository, source.chosen_branch, source.limits)
    ]
    parent = upstream_heads(repository, source.limits)
    about = [source.name, source.origin, source.default_branch, source.is_shallow, source.is_partial]
    return _digest([refs, parent, about, extraction_code()])


def of_build(
    deployment: Deployment, organization_id: str, settings: Mapping[str, pa.Table], as_of: datetime
) -> dict[str, str]:
    """Fingerprints of a build's inputs by name: facts, settings, code and the organization's local date.

    The local date counts because periods complete with it. `settings` are the tables of `control`; `as_of`
    is an instant with time zone.
    """
    rows = {name: table.to_pylist() for name, table in sorted(settings.items())}
    # A reading is no change of settings: the builds of the next days show it.
    rows["repositories"] = [one | {"unread_since": None} for one in rows["repositories"]]
    rows["connections"] = [one | {"unsynced_since": None} for one in rows["connections"]]
    zone = ZoneInfo(rows["organizations"][0]["time_zone"])
    return {
        "facts": facts(deployment.lake, organization_id),
        "settings": _digest(rows),
        "code": build_code(),
        "version": deployment.calculation_version,
        "local_date": as_of.astimezone(zone).date().isoformat(),
    }


def facts(lake: Lake, organization_id: str) -> str:
    """Fingerprint of all committed batches of an organization."""
    nouns = sorted({noun for noun, _ in TABLES} - {"control"})
    return _digest(
        [
            (noun, source_id, _of_source(noun, lake.source(noun, organization_id, source_id).state()))
            for noun in nouns
            for source_id in lake.sources(noun, organization_id)
        ]
    )


def _of_source(noun: str, state: SourceState) -> object:
    """Fingerprint of the facts of a source. A connection commits positions too, which no model reads."""
    if noun == "git":
        return state.digest()
    files = {
        table: [state.files.get(f"{table}/{name}", {}).get("sha256", name) for name in names]
        for table, names in state.tables.items()
        if names
    }
    return sorted(files.items())


@cache
def extraction_code() -> str:
    """Fingerprint of the extractor's code, package `ingest`."""
    return _files((CHECKOUT / "ingest").rglob("*.py"))


@cache
def build_code() -> str:
    """Fingerprint of the dbt project."""
    return _files(dbt_files())


def dbt_files() -> list[Path]:
    """The files of the dbt project, without generated ones."""
    found = (path for path in DBT_PROJECT.rglob("*") if path.is_file())
    return sorted(path for path in found if GENERATED.isdisjoint(path.relative_to(DBT_PROJECT).parts))


def now() -> datetime:
    """The present instant in UTC."""
    return datetime.now(UTC)


def _files(paths: Iterable[Path]) -> str:
    return _digest([(str(path), hashlib.sha256(path.read_bytes()).hexdigest()) for path in sorted(paths)])


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:16]
