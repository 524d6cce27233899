"""Shared by every command: the deployment, the console, the exit codes and the refusal of wrong usage."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import typer
from rich.console import Console

if TYPE_CHECKING:
    from orchestration.deployment import Deployment

FAILED, MISUSED = 1, 2
# Columns of output to a file or pipe; every table fits.
PIPE_WIDTH = 140


def find_deployment() -> Deployment:
    from api.control.operator.environment import StartRefused
    from orchestration.deployment import Deployment

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


def make_console() -> Console:
    is_terminal = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    return Console() if is_terminal else Console(width=PIPE_WIDTH, force_terminal=False)
