"""The command that exports the data of one person."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from orchestration.cli.context import Organization, failed, find_deployment, refused
from orchestration.people import command
from orchestration.people.folder import ExportRefused
from orchestration.runtime.terminal import plain


def export_person(
    address: Annotated[str, typer.Argument(help="An e-mail address of the person.")],
    folder: Annotated[Path, typer.Argument(help="A new folder.")],
    organization: Organization = "local",
) -> None:
    """Write everything that is stored of a person in an organization into a new folder, as CSV.

    Exits with 2 if nothing is stored or the folder cannot be used, with 1 if facts are damaged.
    """
    try:
        typer.echo(command.run(find_deployment(), organization, address, folder))
    except ExportRefused as error:
        raise refused(plain(str(error))) from error
    except command.ExportFailed as error:
        raise failed(plain(str(error))) from error
