"""The command that checks and repairs the state of this machine."""

from __future__ import annotations

from typing import Annotated

import typer

from orchestration.cli.context import find_deployment, make_console, refused
from orchestration.cli.exit_codes import FAILED
from orchestration.commands import repairs
from orchestration.doctor import examination


def doctor(
    fix: Annotated[
        bool, typer.Option("--fix", help="First make again what is lost or damaged, and report the rest.")
    ] = False,
) -> None:
    """Check the settings, this machine and the state of earlier runs.

    Exits with 1 if a check fails, and with 2 and the check of the settings alone if nothing starts with them.
    """
    console = make_console()
    if not examination.examine_settings(console):
        raise refused("nothing starts with these settings: correct them and run `eas doctor` again")
    deployment = find_deployment()
    if fix:
        repairs.fix(deployment, console)
    raise typer.Exit(0 if examination.examine(deployment, console) else FAILED)
