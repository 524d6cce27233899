"""The command `eas`: the list of its commands, and the exit codes.

Exit codes: 0 success; 1 a repository, a connection, the build or a check of `doctor` failed; 2 wrong usage, or settings
with which nothing starts; 130 interrupted by Ctrl-C; 143 by SIGTERM.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
from typing import Annotated, Final

import typer

from api.control.identity_providers.deployment import deployment_providers
from api.operator.settings import start_or_exit
from orchestration.cli.exit_codes import FAILED
from orchestration.cli.late_commands import Place, late
from orchestration.runtime import interrupts

DEBUG = "--debug"

COMMANDS: Final = {
    "analyze": Place("orchestration.cli.repositories", "analyze"),
    "summary": Place("orchestration.cli.summaries", "summary"),
    "remove": Place("orchestration.cli.removal", "remove"),
    "connect": Place("orchestration.cli.connections", "connect"),
    "sync": Place("orchestration.cli.syncs", "sync"),
    "disconnect": Place("orchestration.cli.syncs", "disconnect"),
    "serve": Place("orchestration.cli.serving", "serve"),
    "worker": Place("orchestration.cli.workers", "worker"),
    "mcp": Place("orchestration.cli.assistants", "mcp"),
    "doctor": Place("orchestration.cli.repairs", "doctor"),
    "engine": Place("orchestration.cli.engines", "engine"),
    "backup": Place("orchestration.cli.backups", "backup"),
    "restore": Place("orchestration.cli.backups", "restore"),
    "verify-release": Place("orchestration.cli.releases", "verify_release"),
    "root-login": Place(
        "orchestration.cli.root_logins", "app", "Sign in as root for an hour, and see who did."
    ),
}
GROUPS: Final = {
    "token": ("API tokens.", {"create": Place("orchestration.cli.tokens", "create_token")}),
    "ingest-token": (
        "Tokens of AI tools that send telemetry.",
        {"create": Place("orchestration.cli.tokens", "create_ingest_token")},
    ),
    "person": (
        "The data of one person.",
        {
            "export": Place("orchestration.cli.person_exports", "export_person"),
            "erase": Place("orchestration.cli.erasures", "erase_person"),
        },
    ),
    "account": (
        "People who sign in.",
        {
            "create": Place("orchestration.cli.accounts", "create_account"),
            "grant": Place("orchestration.cli.accounts", "grant"),
        },
    ),
}

app = typer.Typer(
    name="eas",
    cls=late(COMMANDS),
    epilog="--debug after any command prints the stack of an error.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)


def _show_release(is_wanted: bool) -> None:
    if is_wanted:
        from api.operator.release import release

        typer.echo(release())
        raise typer.Exit


@app.callback()
def _start(
    _version: Annotated[
        bool,
        typer.Option("--version", is_eager=True, callback=_show_release, help="Print the release and exit."),
    ] = False,
) -> None:
    """Engineering analytics from Git: delivered work, categories, AI share and CapEx."""


for _group, (_help, _commands) in GROUPS.items():
    app.add_typer(typer.Typer(help=_help, no_args_is_help=True, cls=late(_commands)), name=_group)


def main() -> None:
    """Run the command line and end the process."""
    try:
        _run()
    except SystemExit as ended:
        _end(ended)


def _end(ended: SystemExit) -> None:
    """End as Python would, but leave the memory to the system: freeing what a build made takes more than a second."""
    for thread in threading.enumerate():
        if thread is not threading.current_thread() and not thread.daemon:
            thread.join()
    # The standard library has no public way to run them before os._exit.
    atexit._run_exitfuncs()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        raise ended from None
    if not isinstance(ended.code, int):
        raise ended
    os._exit(ended.code)


def _run() -> None:
    """Run a command. Ctrl-C exits with 130 and SIGTERM with 143, the codes that shells expect.

    An error becomes one sentence; `--debug`, at any place, prints its stack instead.
    """
    is_debugging = DEBUG in sys.argv
    sys.argv[1:] = [argument for argument in sys.argv[1:] if argument != DEBUG]
    interrupts.watch()
    try:
        # It names every setting that stops the others.
        if sys.argv[1:2] != ["doctor"]:
            start_or_exit(deployment_providers)
        app(standalone_mode=True)
    except Exception as error:
        if is_debugging:
            raise
        from orchestration.runtime.explanations import explain
        from orchestration.runtime.terminal import plain

        typer.echo(f"Error: {plain(explain(error))}. With {DEBUG} the command prints the stack.", err=True)
        sys.exit(FAILED)
    except (KeyboardInterrupt, SystemExit) as ended:
        # Typer turns the former into the latter, and says nothing.
        if isinstance(ended, SystemExit) and ended.code != interrupts.CODE_OF_CTRL_C:
            raise
        code = interrupts.exit_code()
        typer.echo("Interrupted. Finished work is kept; run the same command again to continue.", err=True)
        sys.exit(code)
