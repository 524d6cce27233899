"""The command for the engine that builds an organization."""

from __future__ import annotations

from typing import Annotated

import typer

from orchestration.cli.context import find_deployment, refused

DEFAULT = "default"
ENGINES = ("duckdb", "spark")


def engine(
    organization: Annotated[str, typer.Argument(help="Id or slug of an organization.")],
    chosen: Annotated[
        str | None,
        typer.Argument(
            metavar="[ENGINE]",
            help=f"{', '.join(ENGINES)}, or {DEFAULT} for that of the deployment (EAS_WAREHOUSE_ENGINE). Without it the"
            " command changes nothing.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Choose the engine that builds an organization from its next build on, or print it."""
    from api.control.errors import ControlError
    from api.control.organizations import warehouse_engines
    from orchestration.build import spark_session

    if chosen not in (None, DEFAULT, *ENGINES):
        raise refused(f"{chosen!r} is no engine: use one of {', '.join((*ENGINES, DEFAULT))}")
    deployment = find_deployment()
    try:
        with deployment.control() as control:
            known = control.organization(organization)
            if chosen is not None:
                own = None if chosen == DEFAULT else chosen
                warehouse_engines.choose_engine(control, known.id, own)
            present = warehouse_engines.own_engine(control, known.id)
    except ControlError as error:
        raise refused(str(error)) from error
    used = present or deployment.warehouse_engine
    reason = "its own choice" if present else "the choice of the deployment"
    typer.echo(f"The next build of {known.slug} runs on {used}, {reason}.")
    if used == "spark" and (lack := spark_session.missing()):
        typer.echo(f"Warning: {lack}.", err=True)
