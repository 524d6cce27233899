"""Shared by commands: the deployment, the console, the option of an organization and the refusal of wrong usage."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from api.operator.environment import StartRefused
from orchestration.cli.exit_codes import FAILED, MISUSED
from orchestration.deployment import Deployment
from orchestration.runtime.terminal import Output

Organization = Annotated[str, typer.Option(help="Id or slug of the organization.")]
# Columns of output to a file or pipe; every table fits.
PIPE_WIDTH = 140


def find_deployment() -> Deployment:
    try:
        return Deployment()
    except StartRefused as error:
        raise refused(str(error)) from error


def refused(message: str) -> typer.Exit:
    typer.echo(f"Error: {message}", err=True)
    return typer.Exit(MISUSED)


def failed(message: str) -> typer.Exit:
    typer.echo(f"Error: {message}", err=True)
    return typer.Exit(FAILED)


def typed_or_piped(what: str, *, is_typed_twice: bool = False, may_be_empty: bool = False) -> str:
    """A secret from the prompt of a terminal, else the first line of standard input; empty where there is none.

    It never is an argument: other users of the machine see those.
    """
    if sys.stdin.isatty():
        default = "" if may_be_empty else None
        return str(
            typer.prompt(
                what, default, hide_input=True, confirmation_prompt=is_typed_twice, show_default=False
            )
        )
    return sys.stdin.readline().rstrip("\r\n")


def make_console() -> Output:
    is_terminal = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    return Output() if is_terminal else Output(width=PIPE_WIDTH, force_terminal=False)
