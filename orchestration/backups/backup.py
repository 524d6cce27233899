"""Takes a backup while the service runs.

For each organization it lets no build start and no batch of facts become visible while it copies. The lake is copied
before the control database, which therefore knows every source of the facts. Acknowledged telemetry is in the spool or
in the lake at every instant of that block. Keep out: the way back (`restoration`).
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO, Literal

from api.control.secrets import FILE as KEY_FILE
from api.operator.variables import SECRET_KEY
from ingest.telemetry import spool
from ingest.telemetry.loading import spool_folder
from orchestration.backups import control_database
from orchestration.backups import manifest as manifests
from orchestration.backups.manifest import KEY, BackupRefused, FileEntry, Manifest
from orchestration.deployment import Deployment
from orchestration.state import build_lock, snapshot_files

PARTIAL = ".partial"
MAX_LISTINGS = 100
"""A load renames segments of the spool now and then, never so often."""


@dataclass
class Taken:
    """A complete backup, and what it copied although it was not as it was written."""

    manifest: Manifest
    warnings: list[str] = field(default_factory=list)


def take(
    deployment: Deployment,
    target: Path,
    *,
    without_key: bool = False,
    on_wait: Callable[[str], None] = lambda _: None,
) -> Taken:
    """Copy a deployment into the new folder `target`. `on_wait` gets the organization whose build is awaited.

    Everything that the service acknowledged before the call is in the copy. Raises BackupRefused, DatabaseLost,
    DatabaseDamaged and OSError; then `target` does not exist.
    """
    target = target.expanduser().absolute()
    draft = target.with_name(f"{target.name}{PARTIAL}")
    _refuse_place(deployment, target, draft)
    organizations = control_database.organizations(deployment.settings.data_dir)
    draft.mkdir(mode=0o700, parents=True)
    try:
        taking = _Taking(deployment, draft)
        for organization_id in organizations:
            taking.copy_organization(organization_id, on_wait)
        name, revision = control_database.copy(deployment.settings.data_dir, draft)
        taking.files[name] = manifests.entry_of(draft / name)
        key = taking.copy_key(is_left_out=without_key)
        manifest = Manifest(
            release=deployment.calculation_version,
            created_at=datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
            revision=revision,
            key=key,
            organizations=organizations,
            files=taking.files,
        )
        os.sync()  # one call instead of one for each of the thousands of files
        manifests.write(draft, manifest)
        spool.fsync_folder(draft)
        draft.rename(target)
        spool.fsync_folder(target.parent)
    except BaseException:
        shutil.rmtree(draft, ignore_errors=True)
        raise
    return Taken(manifest, taking.warnings)


def _refuse_place(deployment: Deployment, target: Path, draft: Path) -> None:
    data_dir = deployment.settings.data_dir.resolve()
    if target.resolve().is_relative_to(data_dir):
        raise BackupRefused(
            f"{target} is in the data directory: name a folder outside of it, best on another disk"
        )
    if os.path.lexists(target):
        raise BackupRefused(
            f"{target} exists: name a folder that does not, so that no older backup is replaced"
        )
    if os.path.lexists(draft):
        raise BackupRefused(
            f"{draft} exists: another backup is running, or one was stopped before its end. Delete the folder in the"
            " second case"
        )


class _Taking:
    """The copy of one deployment into a folder, with the files that it has so far."""

    def __init__(self, deployment: Deployment, folder: Path) -> None:
        self._deployment = deployment
        self._data_dir = deployment.settings.data_dir
        self._folder = folder
        self.files: dict[str, FileEntry] = {}
        self.warnings: list[str] = []

    def copy_organization(self, organization_id: str, on_wait: Callable[[str], None]) -> None:
        """Copy spool, facts, published build and run state as they belong together."""
        lake = self._deployment.lake
        with (
            build_lock.none_running(self._deployment, organization_id, lambda: on_wait(organization_id)),
            lake.lock(f"org-{organization_id}", exclusive=False),
        ):
            self._copy_spool(organization_id)
            self._copy_facts(organization_id)
            self._copy_published(organization_id)
            for file in sorted((self._data_dir / "run_state" / organization_id).rglob("*.json")):
                self._copy_file(file)

    def copy_key(self, *, is_left_out: bool) -> Literal["here", "left out", "variable", "none"]:
        """Copy the file with the key of tokens. Returns where the key is."""
        if os.environ.get(SECRET_KEY, "").strip():
            return "variable"
        file = self._data_dir / KEY_FILE
        if not file.exists():
            return "none"
        if is_left_out:
            return "left out"
        with file.open("rb") as content:
            self.files[KEY] = manifests.copy(content, self._folder / KEY)
        return "here"

    def _copy_spool(self, organization_id: str) -> None:
        folder = spool_folder(self._data_dir) / organization_id
        with ExitStack() as stack:
            for path, content in _opened(folder, stack):
                name = f"telemetry/spool/{organization_id}/{path.name}"
                self.files[name] = manifests.copy(content, self._folder / name)

    def _copy_facts(self, organization_id: str) -> None:
        lake = self._deployment.lake
        for path, expected in lake.committed(organization_id):
            name = f"raw/{path.removeprefix(lake.root).lstrip('/')}"
            try:
                with lake.fs.open(path, "rb") as content:
                    found = manifests.copy(content, self._folder / name)
            except FileNotFoundError:
                self.warnings.append(f"{path} is missing, and the manifest of the lake names it")
                continue
            self.files[name] = found
            if expected is not None and expected != (found.bytes, found.sha256):
                self.warnings.append(
                    f"{path} has another content than was written; the backup has it as it is"
                )

    def _copy_published(self, organization_id: str) -> None:
        folder = self._data_dir / "published" / organization_id
        if not (folder / snapshot_files.POINTER).exists():
            return
        try:
            pointer = snapshot_files.read_pointer(folder)
            entry = self._copy_file(folder / pointer.file)
        except (OSError, ValueError) as error:
            self.warnings.append(f"the published build of {organization_id} cannot be read ({error})")
            return
        self._copy_file(folder / snapshot_files.POINTER)
        if pointer.sha256 not in (None, entry.sha256):
            self.warnings.append(f"{folder / pointer.file} has another content than was published")

    def _copy_file(self, file: Path) -> FileEntry:
        name = file.relative_to(self._data_dir).as_posix()
        with file.open("rb") as content:
            self.files[name] = manifests.copy(content, self._folder / name)
        return self.files[name]


def _opened(folder: Path, stack: ExitStack) -> list[tuple[Path, BinaryIO]]:
    """All segments of a spool, opened together: a load may rename or delete one after it was listed."""
    for _ in range(MAX_LISTINGS):
        with ExitStack() as attempt:
            try:
                listed: list[tuple[Path, BinaryIO]] = [
                    (path, attempt.enter_context(path.open("rb"))) for path in spool.stored(folder)
                ]
            except FileNotFoundError:
                continue
            stack.enter_context(attempt.pop_all())
            return listed
    raise BackupRefused(f"the files in {folder} change all the time: take the backup again")
