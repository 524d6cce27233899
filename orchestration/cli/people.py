"""Commands for the data of one person."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

from orchestration.cli.context import failed, find_deployment, refused
from orchestration.runtime.terminal import plain


def export_person(
    address: Annotated[str, typer.Argument(help="An e-mail address of the person.")],
    folder: Annotated[Path, typer.Argument(help="A new folder.")],
    organization: Annotated[str, typer.Option(help="Id or slug of the organization.")] = "local",
) -> None:
    """Write everything that is stored of a person in an organization into a new folder, as CSV.

    Exits with 2 if nothing is stored or the folder cannot be used, with 1 if facts are damaged.
    """
    # DuckDB takes a second to load, which no other command spends.
    command = import_module("orchestration.people.command")
    try:
        typer.echo(command.run(find_deployment(), organization, address, folder))
    except command.ExportRefused as error:
        raise refused(plain(str(error))) from error
    except command.ExportFailed as error:
        raise failed(plain(str(error))) from error
