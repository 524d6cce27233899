"""The command for the engine that builds an organization."""

from __future__ import annotations

from typing import Annotated

import typer

from orchestration.cli.context import find_deployment, refused
from orchestration.commands import engines


def engine(
    organization: Annotated[str, typer.Argument(help="Id or slug of an organization.")],
    chosen: Annotated[
        str | None,
        typer.Argument(
            metavar="[ENGINE]",
            help="duckdb, spark, or default for that of the deployment (EAS_WAREHOUSE_ENGINE). Without it the command"
            " changes nothing.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Choose the engine that builds an organization from its next build on, or print it."""
    try:
        choice = engines.choose(find_deployment(), organization, chosen)
    except engines.EngineRefused as error:
        raise refused(str(error)) from error
    reason = "its own choice" if choice.is_own else "the choice of the deployment"
    typer.echo(f"The next build of {choice.slug} runs on {choice.engine}, {reason}.")
    if choice.lack:
        typer.echo(f"Warning: {choice.lack}.", err=True)
