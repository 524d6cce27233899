"""Commands for this machine: serve the API, answer an assistant, and check and repair the state."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from api.operator.settings import application_address
from orchestration.cli.context import FAILED, find_deployment, make_console, refused


def serve(
    api_port: Annotated[
        int, typer.Option(min=1, max=65535, help="Port of the API.", envvar="EAS_API_PORT")
    ] = 8000,
    ui_port: Annotated[int, typer.Option(min=1, max=65535, help="Port of the Dagster UI.")] = 3000,
    all_addresses: Annotated[
        bool,
        typer.Option(
            "--all-addresses",
            help="The API listens at every address of the machine, as a container needs it. The Dagster UI does not.",
        ),
    ] = False,
) -> None:
    """Serve the API and the Dagster UI on this machine until interrupted. Schedules run meanwhile."""
    from orchestration.commands.serving import EVERY_ADDRESS, LOOPBACK, serve_until_interrupted

    raise typer.Exit(
        serve_until_interrupted(
            find_deployment(),
            make_console(),
            api_port=api_port,
            ui_port=ui_port,
            api_host=EVERY_ADDRESS if all_addresses else LOOPBACK,
        )
    )


def worker(
    runs: Annotated[
        int, typer.Option(min=1, max=64, help="Runs that this worker executes at the same time.")
    ] = 1,
) -> None:
    """Execute the runs that wait in the queue (EAS_RUN_QUEUE) until interrupted.

    At the first signal it ends when its runs have ended, at the second one at once.
    """
    from orchestration.commands import working

    try:
        working.work(find_deployment(), runs)
    except working.NoQueue as error:
        raise refused(str(error)) from error


def mcp(
    address: Annotated[
        str,
        typer.Option(help="Address of the service that is asked. Default: EAS_APP_URL.", show_default=False),
    ] = "",
) -> None:
    """Answer an assistant over standard input and output, with the API key in EAS_API_KEY."""
    asked = address or application_address()
    # It takes the place of this process: nothing may stand between the assistant and its messages.
    os.execve(sys.executable, [sys.executable, "-m", "api.mcp", asked], dict(os.environ))


def doctor(
    fix: Annotated[
        bool, typer.Option("--fix", help="First make again what is lost or damaged, and report the rest.")
    ] = False,
) -> None:
    """Check the settings, this machine and the state of earlier runs.

    Exits with 1 if a check fails, and with 2 and the check of the settings alone if nothing starts with them.
    """
    from orchestration.commands import repairs
    from orchestration.doctor import examination

    console = make_console()
    if not examination.examine_settings(console):
        raise refused("nothing starts with these settings: correct them and run `eas doctor` again")
    deployment = find_deployment()
    if fix:
        repairs.fix(deployment, console)
    raise typer.Exit(0 if examination.examine(deployment, console) else FAILED)
