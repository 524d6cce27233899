"""Restores a backup into an empty data directory, as a whole or not at all.

Everything is copied and compared beside the data directory, then renamed into its place. Keep out: taking (`backup`).
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ingest.telemetry import spool
from orchestration.backups import control_database
from orchestration.backups import manifest as manifests
from orchestration.backups.manifest import POSTGRESQL, BackupRefused, Manifest
from orchestration.deployment import Deployment


def restore(deployment: Deployment, folder: Path) -> Manifest:
    """Fill the data directory of a deployment from a backup. Returns the manifest of the backup.

    Raises BackupRefused, SchemaTooNew, SchemaTooOld and OSError; then the data directory is as it was.
    """
    folder = folder.expanduser().absolute()
    data_dir = deployment.settings.data_dir
    manifest = manifests.read(folder)
    _refuse_place(deployment)
    control_database.refuse_target(data_dir, manifest.control, manifest.revision)
    data_dir.parent.mkdir(parents=True, exist_ok=True)
    draft = data_dir.with_name(f".{data_dir.name}.restoring")
    with _alone(data_dir.parent):
        # What a killed restore left.
        shutil.rmtree(draft, ignore_errors=True)
        try:
            _fill(draft, folder, manifest)
            _refuse_place(deployment)
            if manifest.control == POSTGRESQL:
                control_database.fill(data_dir, folder / POSTGRESQL)
            draft.rename(data_dir)
        except BaseException:
            shutil.rmtree(draft, ignore_errors=True)
            raise
        spool.fsync_folder(data_dir.parent)
    return manifest


@contextmanager
def _alone(parent: Path) -> Iterator[None]:
    """Hold a lock on the folder around the data directory: one restore at a time, and no file of a lock stays."""
    descriptor = os.open(parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError as error:
        raise BackupRefused(f"another restore into {parent} is running: wait until it ends") from error
    finally:
        os.close(descriptor)


def _refuse_place(deployment: Deployment) -> None:
    data_dir, settings = deployment.settings.data_dir, deployment.settings
    if settings.raw_root != str(data_dir / "raw"):
        raise BackupRefused(
            f"the raw lake is set to {settings.raw_root}: unset EAS_RAW_DIR and RAW_DIR, restore, and then copy"
            f" {data_dir / 'raw'} there"
        )
    if not os.path.lexists(data_dir):
        return
    if data_dir.is_symlink() or not data_dir.is_dir() or any(data_dir.iterdir()):
        raise BackupRefused(
            f"the data directory {data_dir} is no empty folder: set EAS_DATA_DIR to a new folder, or move this one away"
        )
    if data_dir.is_mount():
        raise BackupRefused(
            f"{data_dir} is a mount point, which cannot be replaced as a whole: set EAS_DATA_DIR to a new folder in it"
        )


def _fill(draft: Path, folder: Path, manifest: Manifest) -> None:
    draft.mkdir(mode=0o700)
    for name, expected in manifest.files.items():
        try:
            with (folder / name).open("rb") as content:
                found = manifests.copy(content, draft / name)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError) as error:
            raise BackupRefused(
                f"{folder / name} is missing: the backup is incomplete, use another one"
            ) from error
        if found != expected:
            raise BackupRefused(f"{folder / name} has another content than was written: use another backup")
    if manifest.control == POSTGRESQL:
        (draft / POSTGRESQL).unlink()
    elif (revision := control_database.check(draft / manifest.control)) != manifest.revision:
        raise BackupRefused(
            f"the control database of {folder} is at schema revision {revision}, and the manifest names"
            f" {manifest.revision}: use another backup"
        )
    for file in (draft / "published").glob("*/*.duckdb"):
        file.chmod(0o444)
    os.sync()
