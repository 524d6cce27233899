"""The command that serves the API and the Dagster UI."""

from __future__ import annotations

from typing import Annotated

import typer

from orchestration.cli.context import find_deployment, make_console
from orchestration.commands.serving import EVERY_ADDRESS, LOOPBACK, serve_until_interrupted


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
    raise typer.Exit(
        serve_until_interrupted(
            find_deployment(),
            make_console(),
            api_port=api_port,
            ui_port=ui_port,
            api_host=EVERY_ADDRESS if all_addresses else LOOPBACK,
        )
    )
