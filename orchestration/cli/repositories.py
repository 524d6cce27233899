"""Commands for repositories: analyse them, and remove one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from orchestration.cli.context import FAILED, find_deployment, make_console, refused

if TYPE_CHECKING:
    from orchestration.deployment import Deployment


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
    from orchestration.build import parsing
    from orchestration.runtime import collector

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


def remove(
    repository: Annotated[
        str, typer.Argument(metavar="REPO", help="Name, address or path of a repository, or its id.")
    ],
    organization: Annotated[str, typer.Option(help="Id or slug of the organization.")] = "local",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete all facts and figures of a repository, and publish the totals without it.

    The repository itself stays as it is. After an interruption, run the command again.
    """
    from api.control.errors import ControlError
    from orchestration.commands import removal
    from orchestration.runtime.terminal import Watcher, plain

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


def _check_time_zone(name: str) -> None:
    from api.control.errors import ControlError
    from api.control.names import check_time_zone

    try:
        check_time_zone(name)
    except ControlError as error:
        raise refused(f"--time-zone: {error}") from error


def _analysed_before(deployment: Deployment) -> list[str]:
    """The repositories that runs on this machine read for the organization of the command line."""
    from orchestration.deployment import LOCAL_ORGANIZATION

    entries = deployment.run_state.repositories(LOCAL_ORGANIZATION)
    return [entry.target for entry in entries if entry.succeeded_at is not None]


def _target(given: str) -> str:
    """Make a path absolute, because a later step may change the working directory. Keep an address as it is."""
    try:
        path = Path(given).expanduser()
        return str(path.absolute()) if given and "://" not in given and path.exists() else given
    except (OSError, RuntimeError, ValueError):  # too long, an unknown home, a NUL: opening it says why
        return given
