"""Commands for the data of one person."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from orchestration.cli.context import failed, find_deployment, refused


def export_person(
    address: Annotated[str, typer.Argument(help="An e-mail address of the person.")],
    folder: Annotated[Path, typer.Argument(help="A new folder.")],
    organization: Annotated[str, typer.Option(help="Id or slug of the organization.")] = "local",
) -> None:
    """Write everything that is stored of a person in an organization into a new folder, as CSV.

    Exits with 2 if nothing is stored or the folder cannot be used, with 1 if facts are damaged.
    """
    from api.control.errors import ControlError
    from ingest.errors import LakeCorrupt
    from orchestration.people.folder import ExportRefused, export
    from orchestration.people.person import UnknownPerson
    from orchestration.runtime.terminal import plain

    try:
        done = export(find_deployment(), organization, address, folder)
    except (ControlError, UnknownPerson, ExportRefused) as error:
        raise refused(plain(str(error))) from error
    except LakeCorrupt as error:
        raise failed(f"{plain(str(error))}; run `eas doctor --fix`") from error
    count, files = sum(done.rows.values()), len(done.rows)
    typer.echo(f"Wrote {count:,} rows in {files:,} files to {folder}. Only you can read the folder.")
