"""dbt's parsed project: where it is kept, its checksums, and its use for any organization.

It follows from the code alone, so all data directories of a checkout share one. dbt believes the file: a flipped byte
within a model would change figures. Keep out: parsing (dbt_build.py).
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import TYPE_CHECKING

from orchestration.deployment import DBT_PROJECT, LOCAL_ORGANIZATION, Deployment
from orchestration.state import fingerprints

if TYPE_CHECKING:
    from dbt.contracts.graph.manifest import Manifest

PARSED_FILE = "partial_parse.msgpack"
MANIFEST_FILE = "manifest.json"
# The part of the manifest that a build needs. The whole takes longer to read.
CONNECTION_MODELS_FILE = "connection_models.json"
_FILES = (PARSED_FILE, MANIFEST_FILE, CONNECTION_MODELS_FILE)


def find(deployment: Deployment) -> Path | None:
    """The folder with the parsed project of the present code; None if it has to be parsed."""
    found = (folder / fingerprints.build_code() for folder in _homes(deployment))
    return next((folder for folder in found if is_intact(folder)), None)


def home(deployment: Deployment) -> Path:
    """The folder in which a project is parsed: beside the code, or in the data directory if that is read-only."""
    beside, within = _homes(deployment)
    try:
        beside.mkdir(parents=True, exist_ok=True)
    except OSError:
        return within
    return beside if os.access(beside, os.W_OK) else within


def is_intact(folder: Path) -> bool:
    """Whether a parsed project exists with the content of its checksums."""
    return all(_is_intact(folder / name) for name in _FILES)


def seal(folder: Path) -> None:
    """Store the checksums of what dbt has just written."""
    for name in _FILES:
        _seal(folder / name).write_text(_checksum(folder / name))


def load(folder: Path, database: str) -> Manifest:
    """The project as if it had been parsed for a warehouse file of this name, without its suffix.

    A variable or path that differs from the parsed one would let dbt parse again, which takes half as long as the
    models. Our models read variables when they are compiled. Only the name of the database, which dbt takes from the
    file, is in the parsed project.
    """
    from dbt.contracts.graph.manifest import Manifest

    manifest: Manifest = Manifest.from_msgpack((folder / PARSED_FILE).read_bytes())
    for node in (*manifest.nodes.values(), *manifest.sources.values()):
        if node.database == LOCAL_ORGANIZATION:
            node.database = database
            if node.relation_name:
                node.relation_name = node.relation_name.replace(f'"{LOCAL_ORGANIZATION}"', f'"{database}"', 1)
    return manifest


def _homes(deployment: Deployment) -> tuple[Path, Path]:
    return DBT_PROJECT / "target" / "manifest", deployment.settings.data_dir / "dbt" / "manifest"


def _is_intact(file: Path) -> bool:
    try:
        return _seal(file).read_text() == _checksum(file)
    except (OSError, UnicodeDecodeError):
        return False


def _seal(file: Path) -> Path:
    return file.with_name(f"{file.name}.sha256")


def _checksum(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
