"""Commands for the data of one person."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orchestration.cli.context import FAILED, failed, find_deployment, make_console, refused
from orchestration.runtime.terminal import plain

if TYPE_CHECKING:
    from orchestration.people.erasure import Plan


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


def erase_person(
    person: Annotated[
        str,
        typer.Argument(metavar="ADDRESS-OR-ID", help="An address of the person, or the id of the developer."),
    ],
    organization: Annotated[str, typer.Option(help="Id or slug of the organization.")] = "local",
    reason: Annotated[
        str, typer.Option(help="The lawful reason, for the audit log. Write no name into it.")
    ] = "request of the person (GDPR, Article 17)",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Erase a person from an organization for good. Figures stay under a pseudonym.

    It first says what it finds and what stays. Nothing can undo it. After an interruption, run the command again. Exits
    with 2 if the person is unknown or cannot be erased now, with 1 if the build failed.
    """
    erasure = import_module("orchestration.people.erasure")
    terminal = import_module("orchestration.runtime.terminal")
    deployment = find_deployment()
    try:
        planned = erasure.plan(deployment, organization, person)
        _tell(planned)
        if not yes:
            typer.confirm("Erase the person? Nothing can undo it.", abort=True)
        with terminal.Watcher(make_console()).watching() as watcher:
            done = erasure.erase(
                deployment, planned, reason, watcher, lambda: typer.echo("Waiting for a build.", err=True)
            )
    except erasure.ErasureRefused as error:
        raise refused(plain(str(error))) from error
    for failure in done.failures:
        typer.echo(f"Failed: {plain(failure)}. Run the command again to finish.", err=True)
    if done.failures:
        raise typer.Exit(FAILED)
    for file in done.naming:
        typer.echo(f"Warning: {file} still has a name or address of the person; look into it.", err=True)
    typer.echo(f"Erased. Figures of the person are those of {planned.pseudonym.name}.")


def _tell(planned: Plan) -> None:
    """Tell which data the command erases, which it keeps, and why."""
    if planned.person is None:
        typer.echo(f"The person was erased before, as {planned.pseudonym.name}. The rest is done again.")
        return
    one = planned.person
    typer.echo(f"Addresses: {plain(', '.join(sorted(one.person.addresses)))}")
    typer.echo(f"Logins: {plain(', '.join(sorted(one.person.logins))) or 'none'}")
    typer.echo(f"Names: {plain(', '.join(sorted(one.names))) or 'none'}")
    for kind, count in planned.rows.items():
        typer.echo(f"Rows of {kind}: {count:,}")
    typer.echo(
        f"Erased from now on: all of them, which become {planned.pseudonym.name} where figures need them."
    )
    typer.echo("What stays:")
    for sentence in import_module("orchestration.people.erased_decisions").STAYS:
        typer.echo(f"- {sentence}")
