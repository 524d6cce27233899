"""Commands for what connections read: sync them, or delete one with all that it read."""

from __future__ import annotations

from typing import Annotated

import typer

from api.control.connections.connections import remove_connection
from api.control.errors import ControlError
from api.control.principals import OPERATOR
from orchestration.build import parsing
from orchestration.cli.context import Organization, find_deployment, make_console, refused
from orchestration.cli.exit_codes import FAILED
from orchestration.commands import analysis, syncs
from orchestration.runtime.terminal import Watcher, plain


def sync(
    connections: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CONNECTION]...", help="Names or ids. Default: all connections.", show_default=False
        ),
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Read everything again, also what was deleted.")
    ] = False,
    organization: Organization = "local",
) -> None:
    """Read what changed at connected hosts and trackers, and publish it. Exits with 1 if one failed.

    A connection that its provider has paused is left out; it goes on by itself with a later run.
    """
    deployment = find_deployment()
    try:
        with deployment.control() as control:
            found = control.organization(organization)
        chosen = [syncs.named_synced(deployment, found.id, one) for one in dict.fromkeys(connections or [])]
        chosen = chosen or syncs.of_organization(deployment, found.id)
    except ControlError as error:
        raise refused(str(error)) from error
    if not chosen:
        raise refused("there is no connection yet; `eas connect` adds one")
    with parsing.ahead(deployment), Watcher(make_console()).watching() as watcher:
        problems = analysis.sync_and_build(deployment, found.id, found.slug, chosen, watcher, is_full=full)
    for one in problems:
        typer.echo(f"Failed: {plain(one.subject)}: {plain(one.reason)}", err=True)
    raise typer.Exit(FAILED if problems else 0)


def disconnect(
    connection: Annotated[str, typer.Argument(metavar="CONNECTION", help="Name or id of a connection.")],
    organization: Organization = "local",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete a connection with its token, and publish without its pull requests or issues. Repositories stay."""

    deployment = find_deployment()
    try:
        with deployment.control() as control:
            owning = control.organization(organization)
        found = syncs.named(deployment, owning.id, connection)
        if not yes:
            typer.confirm(f"Delete {plain(found.name)} ({found.address}) and all that it read?", abort=True)
        with deployment.control() as control:
            remove_connection(control, OPERATOR, owning.id, found.id)
    except ControlError as error:
        raise refused(str(error)) from error
    with Watcher(make_console()).watching() as watcher:
        problems = analysis.sync_and_build(deployment, owning.id, owning.slug, [], watcher)
    for one in problems:
        typer.echo(f"Failed: {plain(one.subject)}: {plain(one.reason)}", err=True)
    typer.echo(f"Disconnected {plain(found.name)}.")
    raise typer.Exit(FAILED if problems else 0)
