"""Commands for backups: take one while the service runs, and restore it elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from api.control.errors import SchemaTooNew, SchemaTooOld
from orchestration.backups import backup as backups
from orchestration.backups.manifest import BackupRefused, Manifest
from orchestration.backups.restoration import restore as restore_backup
from orchestration.cli.context import find_deployment, refused
from orchestration.runtime.terminal import plain

TOLD_KEYS = {
    "here": "It has the key of tokens: keep it as safe as the service itself.",
    "left out": "The key of tokens is not in it: keep `secret.key` of the data directory elsewhere.",
    "variable": "The key of tokens is not in it: keep EAS_SECRET_KEY elsewhere.",
    "none": "No token needs a key yet.",
}
NEEDED_KEYS = {
    "left out": "The key of tokens is not in the backup: put `secret.key` into the data directory.",
    "variable": "The key of tokens is not in the backup: set EAS_SECRET_KEY as it was.",
}


def backup(
    folder: Annotated[Path, typer.Argument(help="A new folder outside the data directory.")],
    without_key: Annotated[
        bool,
        typer.Option("--without-key", help="Leave out the file with the key of tokens; keep it elsewhere."),
    ] = False,
) -> None:
    """Copy what nothing can make again and what serves the same figures into a new folder. The service may run.

    Exits with 2 if the folder cannot be used, with 1 if the copy fails; then the folder does not exist.
    """

    def tell(organization_id: str) -> None:
        typer.echo(f"Waiting for the build of organization {organization_id}.", err=True)

    try:
        taken = backups.take(find_deployment(), folder, without_key=without_key, on_wait=tell)
    except BackupRefused as error:
        raise refused(str(error)) from error
    for warning in taken.warnings:
        typer.echo(f"Warning: {plain(warning)}", err=True)
    typer.echo(f"Backed up {_contents(taken.manifest)} to {folder}. {TOLD_KEYS[taken.manifest.key]}")


def restore(
    folder: Annotated[Path, typer.Argument(help="A folder that `eas backup` made.")],
) -> None:
    """Fill an empty data directory (EAS_DATA_DIR) from a backup, as a whole or not at all.

    Exits with 2 and changes nothing if the backup is damaged or incomplete, if this release cannot take it, or if the
    data directory is not empty.
    """
    deployment = find_deployment()
    try:
        manifest = restore_backup(deployment, folder)
    except (BackupRefused, SchemaTooNew, SchemaTooOld) as error:
        raise refused(str(error)) from error
    typer.echo(
        f"Restored {_contents(manifest)} of {manifest.created_at} to {deployment.settings.data_dir}."
        " `eas serve` serves the same figures; the next run makes the rest again."
    )
    if manifest.key in NEEDED_KEYS:
        typer.echo(NEEDED_KEYS[manifest.key], err=True)


def _contents(manifest: Manifest) -> str:
    count, files = len(manifest.organizations), len(manifest.files)
    return f"{count:,} organization{'' if count == 1 else 's'} ({files:,} files, {manifest.bytes:,} bytes)"
