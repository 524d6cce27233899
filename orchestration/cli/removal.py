"""The command that removes a repository."""

from __future__ import annotations

from typing import Annotated

import typer

from api.control.errors import ControlError
from orchestration.cli.context import Organization, find_deployment, make_console, refused
from orchestration.cli.exit_codes import FAILED
from orchestration.commands import removal
from orchestration.runtime.terminal import Watcher, plain


def remove(
    repository: Annotated[
        str, typer.Argument(metavar="REPO", help="Name, address or path of a repository, or its id.")
    ],
    organization: Organization = "local",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete all facts and figures of a repository, and publish the totals without it.

    The repository itself stays as it is. After an interruption, run the command again.
    """
    deployment = find_deployment()
    try:
        target = removal.find_target(deployment, organization, repository)
    except ControlError as error:
        raise refused(str(error)) from error
    name, address = plain(target.repository.name), plain(target.repository.origin)
    if not yes:
        typer.confirm(f"Delete all facts and figures of {name} ({address})?", abort=True)
    with Watcher(make_console()).watching() as watcher:
        failures = removal.run(deployment, target, watcher)
    for reason in failures:
        typer.echo(f"Failed: {plain(reason)}. Run the command again to finish.", err=True)
    if failures:
        raise typer.Exit(FAILED)
    typer.echo(f"Removed {name}.")
