"""The command `eas`: the list of its commands, and the exit codes.

Exit codes: 0 success; 1 a repository, a connection, the build or a check of `doctor` failed; 2 wrong usage, or settings
with which nothing starts; 130 interrupted by Ctrl-C; 143 by SIGTERM.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
from typing import Annotated

import typer

from api.control.identity_providers.deployment import deployment_providers
from api.operator.settings import start_or_exit
from orchestration.cli.accounts import create_account, grant
from orchestration.cli.backups import backup, restore
from orchestration.cli.connections import connect, disconnect, sync
from orchestration.cli.context import FAILED
from orchestration.cli.engines import engine
from orchestration.cli.machine import doctor, mcp, serve, worker
from orchestration.cli.people import erase_person, export_person
from orchestration.cli.releases import verify_release
from orchestration.cli.repositories import analyze, remove
from orchestration.cli.root_logins import app as root_logins
from orchestration.cli.summaries import summary
from orchestration.cli.tokens import create_ingest_token, create_token
from orchestration.runtime import interrupts

DEBUG = "--debug"

app = typer.Typer(
    name="eas",
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


app.command()(analyze)
app.command()(summary)
app.command()(remove)
app.command()(connect)
app.command()(sync)
app.command()(disconnect)
app.command()(serve)
app.command()(worker)
app.command()(mcp)
app.command()(doctor)
app.command()(engine)
app.command()(backup)
app.command()(restore)
app.command()(verify_release)

token_app = typer.Typer(help="API tokens.", no_args_is_help=True)
token_app.command("create")(create_token)
app.add_typer(token_app, name="token")

ingest_token_app = typer.Typer(help="Tokens of AI tools that send telemetry.", no_args_is_help=True)
ingest_token_app.command("create")(create_ingest_token)
app.add_typer(ingest_token_app, name="ingest-token")

person_app = typer.Typer(help="The data of one person.", no_args_is_help=True)
person_app.command("export")(export_person)
person_app.command("erase")(erase_person)
app.add_typer(person_app, name="person")

account_app = typer.Typer(help="People who sign in.", no_args_is_help=True)
account_app.command("create")(create_account)
account_app.command("grant")(grant)
app.add_typer(account_app, name="account")

app.add_typer(root_logins, name="root-login")


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
