"""The command that prints a summary."""

from __future__ import annotations

import sys
from datetime import date
from pathlib import Path
from typing import Annotated, Literal

import typer

from api.control.errors import ControlError
from api.control.summaries.kinds import Period, ScopeKind
from orchestration.cli.context import Organization, failed, find_deployment, refused
from orchestration.cli.tokens import parse_day
from orchestration.report import summary as summaries


def summary(
    period: Annotated[Period, typer.Argument(help="Length of the period.")] = Period.WEEK,
    repository: Annotated[
        str | None,
        typer.Option(help="Name or id of a repository. Default: the organization.", show_default=False),
    ] = None,
    team: Annotated[
        str | None, typer.Option(help="Name or id of a team. Default: the organization.", show_default=False)
    ] = None,
    day: Annotated[
        date | None,
        typer.Option(
            parser=parse_day,
            metavar="YYYY-MM-DD",
            help="A day of the period. Default: the newest completed period.",
        ),
    ] = None,
    draft: Annotated[
        bool, typer.Option("--draft", help="The running period so far, labelled DRAFT.")
    ] = False,
    form: Annotated[
        Literal["text", "markdown", "html", "pdf"], typer.Option("--format", help="What to write.")
    ] = "text",
    out: Annotated[
        Path | None, typer.Option(help="File to write. Default: standard output.", show_default=False)
    ] = None,
    organization: Organization = "local",
) -> None:
    """Print the summary of the last week, month or quarter: of the organization, a team or a repository.

    Stored texts are printed as they are; older periods are told from the facts of the published build.
    """
    if repository is not None and team is not None:
        raise refused("name a repository or a team, not both")
    if draft and day is not None:
        raise refused("--draft is the running period; leave --day out")
    if form == "pdf" and out is None and sys.stdout.isatty():
        raise refused("a terminal cannot show a PDF; name a file with --out")
    kind = ScopeKind.REPOSITORY if repository else ScopeKind.TEAM if team else ScopeKind.ORGANIZATION
    try:
        found = summaries.find(
            find_deployment(), organization, kind, repository or team, period, day=day, is_draft=draft
        )
    except ControlError as error:
        raise refused(str(error)) from error
    except summaries.NoSummary as error:
        raise failed(str(error)) from error
    content = summaries.printed(found, form)
    if out is None:
        sys.stdout.buffer.write(content)
    else:
        out.write_bytes(content)
        typer.echo(f"Written: {out}", err=True)
