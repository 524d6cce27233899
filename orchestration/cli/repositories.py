"""The command that analyses repositories."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from api.control.errors import ControlError
from api.control.names import check_time_zone
from orchestration.build import parsing
from orchestration.cli.context import find_deployment, make_console, refused
from orchestration.cli.exit_codes import FAILED
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.runtime import collector


def analyze(
    repositories: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[REPO]...",
            help="Paths, or https or ssh addresses. Default: the repository of the current folder; with --time-zone"
            " those that were analysed before.",
            show_default=False,
        ),
    ] = None,
    time_zone: Annotated[
        str | None,
        typer.Option(
            help="IANA time zone of days, weeks and months, such as Europe/Berlin. The choice is stored."
        ),
    ] = None,
) -> None:
    """Read new commits of repositories, score them, publish the result and print the report.

    Exits with 1 if a repository or the build failed. The report still shows the other repositories.
    """
    if time_zone is not None:
        _check_time_zone(time_zone)
    deployment = find_deployment()
    known = _analysed_before(deployment) if time_zone is not None and not repositories else []
    if known:
        count = "the repository" if len(known) == 1 else f"the {len(known)} repositories"
        typer.echo(f"No repository is named, so the time zone is set for {count} analysed before.", err=True)
    targets = [_target(given) for given in repositories or known or ["."]]
    with parsing.ahead(deployment):
        with collector.held():
            from orchestration.report.run import run
        ok = run(deployment, targets, make_console(), time_zone=time_zone)
    raise typer.Exit(0 if ok else FAILED)


def _check_time_zone(name: str) -> None:
    try:
        check_time_zone(name)
    except ControlError as error:
        raise refused(f"--time-zone: {error}") from error


def _analysed_before(deployment: Deployment) -> list[str]:
    """The repositories that runs on this machine read for the organization of the command line."""
    entries = deployment.run_state.repositories(LOCAL_ORGANIZATION)
    return [entry.target for entry in entries if entry.succeeded_at is not None]


def _target(given: str) -> str:
    """Make a path absolute, because a later step may change the working directory. Keep an address as it is."""
    try:
        path = Path(given).expanduser()
        return str(path.absolute()) if given and "://" not in given and path.exists() else given
    except (OSError, RuntimeError, ValueError):  # too long, an unknown home, a NUL: opening it says why
        return given
