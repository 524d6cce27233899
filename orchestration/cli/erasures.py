"""The command that erases one person."""

from __future__ import annotations

from typing import Annotated

import typer

from orchestration.cli.context import Organization, find_deployment, make_console, refused
from orchestration.cli.exit_codes import FAILED
from orchestration.people import erasure
from orchestration.people.erased_decisions import STAYS
from orchestration.people.erased_person import ErasureRefused
from orchestration.people.erasure import Plan
from orchestration.runtime.terminal import Watcher, plain


def erase_person(
    person: Annotated[
        str,
        typer.Argument(metavar="ADDRESS-OR-ID", help="An address of the person, or the id of the developer."),
    ],
    organization: Organization = "local",
    reason: Annotated[
        str, typer.Option(help="The lawful reason, for the audit log. Write no name into it.")
    ] = "request of the person (GDPR, Article 17)",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Erase a person from an organization for good. Figures stay under a pseudonym.

    It first says what it finds and what stays. Nothing can undo it. After an interruption, run the command again. Exits
    with 2 if the person is unknown or cannot be erased now, with 1 if the build failed.
    """
    deployment = find_deployment()
    try:
        planned = erasure.plan(deployment, organization, person)
        _tell(planned)
        if not yes:
            typer.confirm("Erase the person? Nothing can undo it.", abort=True)
        with Watcher(make_console()).watching() as watcher:
            done = erasure.erase(
                deployment, planned, reason, watcher, lambda: typer.echo("Waiting for a build.", err=True)
            )
    except ErasureRefused as error:
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
    for sentence in STAYS:
        typer.echo(f"- {sentence}")
