"""The command `eas`.

Exit codes: 0 success; 1 a repository, the build or a check of `doctor` failed; 2 wrong usage; 130 interrupted.

Add: commands that parse arguments, call a function and print. Keep out: the work itself. Each command imports only
the modules it needs, so `eas --help` takes a fifth of a second and a command without work never imports Dagster.
"""

from __future__ import annotations

import os
import sys
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

if TYPE_CHECKING:
    from api.control.permissions import Role
    from api.control.store import ControlStore
    from orchestration.deployment import Deployment

FAILED, MISUSED, INTERRUPTED = 1, 2, 130
DEBUG = "--debug"
# Columns of output to a file or pipe; every table fits.
PIPE_WIDTH = 140

app = typer.Typer(
    name="eas",
    help="Engineering analytics from Git: delivered work, categories, AI share and CapEx.",
    epilog="--debug after any command prints the stack of an error.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
token_app = typer.Typer(help="API tokens.", no_args_is_help=True)
app.add_typer(token_app, name="token")
account_app = typer.Typer(help="People who sign in.", no_args_is_help=True)
app.add_typer(account_app, name="account")
Administrator = Annotated[
    bool,
    typer.Option(
        "--administrator",
        help="Make the account a platform administrator, who manages the members of every organization.",
    ),
]


@app.command()
def analyze(
    repositories: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[REPO]...",
            help="Paths, or https or ssh addresses. Default: the repository of the current folder.",
            show_default=False,
        ),
    ] = None,
    time_zone: Annotated[
        str | None,
        typer.Option(
            help="IANA time zone of days, weeks and months, such as Europe/Berlin. The choice is stored."
        ),
    ] = None,
) -> None:
    """Read new commits of repositories, score them, publish the result and print the report.

    Exits with 1 if a repository or the build failed. The report still shows the other repositories.
    """
    from orchestration.build import parsing
    from orchestration.runtime import collector

    targets = [_target(given) for given in repositories or ["."]]
    deployment = _deployment()
    with parsing.ahead(deployment):
        with collector.held():
            from orchestration.report.run import run
        ok = run(deployment, targets, _console(), time_zone=time_zone)
    raise typer.Exit(0 if ok else FAILED)


@app.command()
def remove(
    repository: Annotated[
        str, typer.Argument(metavar="REPO", help="Name, address or path of a repository, or its id.")
    ],
    organization: Annotated[str, typer.Option(help="Id or slug of the organization.")] = "local",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete all facts and figures of a repository, and publish the totals without it.

    The repository itself stays as it is. After an interruption, run the command again.
    """
    from api.control.errors import ControlError
    from orchestration import removal
    from orchestration.runtime.terminal import Watcher, plain

    deployment = _deployment()
    try:
        target = removal.find_target(deployment, organization, repository)
    except ControlError as error:
        raise _refused(str(error)) from error
    name, address = plain(target.repository.name), plain(target.repository.origin)
    if not yes:
        typer.confirm(f"Delete all facts and figures of {name} ({address})?", abort=True)
    with Watcher(_console()).watching() as watcher:
        failures = removal.run(deployment, target, watcher)
    for reason in failures:
        typer.echo(f"Failed: {plain(reason)}. Run the command again to finish.", err=True)
    if failures:
        raise typer.Exit(FAILED)
    typer.echo(f"Removed {name}.")


@app.command()
def serve(
    api_port: Annotated[
        int, typer.Option(min=1, max=65535, help="Port of the API.", envvar="EAS_API_PORT")
    ] = 8000,
    ui_port: Annotated[int, typer.Option(min=1, max=65535, help="Port of the Dagster UI.")] = 3000,
) -> None:
    """Serve the API and the Dagster UI on this machine until interrupted. Schedules run meanwhile."""
    from orchestration.serving import serve_until_interrupted

    raise typer.Exit(serve_until_interrupted(_deployment(), _console(), api_port=api_port, ui_port=ui_port))


@app.command()
def doctor(
    fix: Annotated[
        bool, typer.Option("--fix", help="First make again what is lost or damaged, and report the rest.")
    ] = False,
) -> None:
    """Check this machine and the state of earlier runs. Exits with 1 if a check fails."""
    from orchestration import doctor, repairs

    deployment, console = _deployment(), _console()
    if fix:
        repairs.fix(deployment, console)
    raise typer.Exit(0 if doctor.examine(deployment, console) else FAILED)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a date; use the form 2027-12-31") from None


@token_app.command("create")
def create_token(
    name: Annotated[str, typer.Option(help="Purpose of the token, 1 to 100 characters.")],
    organization: Annotated[str, typer.Option(help="Id or slug of the organization.")] = "local",
    expires: Annotated[
        date | None,
        typer.Option(
            parser=_day,
            metavar="YYYY-MM-DD",
            help="Last day (UTC) on which the token is valid. Default: no expiry.",
        ),
    ] = None,
    write: Annotated[
        bool, typer.Option("--write", help="Allow changes of settings, teams and repositories.")
    ] = False,
) -> None:
    """Create an API token and print its key. The key cannot be shown again."""
    from api.control.accounts import tokens
    from api.control.errors import ControlError, InvalidSetting

    last_instant = datetime.combine(expires, time.max, UTC) if expires else None
    try:
        with _deployment().control() as control:
            scope = "write" if write else "read"
            new = tokens.create_token(control, organization, name, scope=scope, expires_at=last_instant)
    except InvalidSetting as error:
        option = "expires" if error.field == "expires_at" else error.field
        raise _refused(f"--{option}: {error.problem}") from error
    except ControlError as error:
        raise _refused(str(error)) from error
    # Only the key goes to standard output, so that a script can read it.
    Console(stderr=True).print(
        f"Token {new.token.name!r} for {organization}. Store the key; it cannot be shown again:"
    )
    typer.echo(new.key)


@account_app.command("create")
def create_account(
    email: Annotated[str, typer.Argument(help="Email address for signing in.")],
    name: Annotated[str, typer.Option(help="Name of the person.")],
    organization: Annotated[
        str | None, typer.Option(help="Id or slug of the organization that the person joins.")
    ] = None,
    role: Annotated[str, typer.Option(help="owner, admin, member, viewer or team_lead.")] = "owner",
    administrator: Administrator = False,
) -> None:
    """Create an account without sending mail. The command asks for the password.

    The email address counts as confirmed. Use this command to give the organization of `eas analyze` its first owner.
    """
    from api.control.accounts import accounts
    from api.control.accounts.passwords import MEMORY_KIB, Passwords
    from api.control.errors import ControlError

    password = typer.prompt("Password", hide_input=True, confirmation_prompt=True)
    try:
        with _deployment().control() as control:
            chosen = control.organization(organization).id if organization else None
            member_role = _role(role)
            made = accounts.sign_up(
                control,
                Passwords(MEMORY_KIB),
                email,
                password,
                name,
                is_platform_administrator=administrator,
                is_verified=True,
            )
            if chosen is not None:
                _put(control, chosen, made.email, member_role)
    except ControlError as error:
        raise _refused(str(error)) from error
    typer.echo(f"Created an account for {made.email}.")


@account_app.command("grant")
def grant(
    email: Annotated[str, typer.Argument(help="Email address of the account.")],
    organization: Annotated[str | None, typer.Option(help="Id or slug of an organization.")] = None,
    role: Annotated[str, typer.Option(help="owner, admin, member, viewer or team_lead.")] = "owner",
    administrator: Administrator = False,
) -> None:
    """Give an account a role in an organization, or make it a platform administrator."""
    from api.control.accounts import accounts
    from api.control.errors import ControlError

    if organization is None and not administrator:
        raise _refused("use --organization or --administrator to name the role to grant")
    try:
        with _deployment().control() as control:
            if organization is not None:
                _put(control, control.organization(organization).id, email, _role(role))
            if administrator:
                accounts.make_administrator(control, email)
    except ControlError as error:
        raise _refused(str(error)) from error
    typer.echo(f"Granted the role to {email}.")


def _role(name: str) -> Role:
    from api.control.permissions import Role

    try:
        return Role(name.lower())
    except ValueError:
        raise _refused(f"--role: use one of {', '.join(Role)}") from None


def _put(control: ControlStore, organization_id: str, email: str, role: Role) -> None:
    from api.control.accounts import members
    from api.control.principals import OPERATOR

    members.put_member(control, OPERATOR, organization_id, email, role)


def main() -> None:
    """Run the command line. Ctrl-C exits with 130, the code that shells expect.

    An error becomes one sentence; `--debug`, at any place, prints its stack instead.
    """
    is_debugging = DEBUG in sys.argv
    sys.argv[1:] = [argument for argument in sys.argv[1:] if argument != DEBUG]
    try:
        app(standalone_mode=True)
    except Exception as error:
        if is_debugging:
            raise
        from orchestration.runtime.explanations import explain
        from orchestration.runtime.terminal import plain

        typer.echo(f"Error: {plain(explain(error))}. With {DEBUG} the command prints the stack.", err=True)
        sys.exit(FAILED)
    except KeyboardInterrupt:
        typer.echo("Interrupted. Finished work is kept; run the same command again to continue.", err=True)
        sys.exit(INTERRUPTED)


def _target(given: str) -> str:
    """Make a path absolute, because a later step may change the working directory. Keep an address as it is."""
    try:
        path = Path(given).expanduser()
        return str(path.absolute()) if given and "://" not in given and path.exists() else given
    except (OSError, RuntimeError, ValueError):  # too long, an unknown home, a NUL: opening it says why
        return given


def _deployment() -> Deployment:
    from pydantic import ValidationError

    from orchestration.deployment import Deployment

    try:
        return Deployment()
    except ValidationError as error:
        details = "; ".join(f"EAS_{item['loc'][0]!s}".upper() + f": {item['msg']}" for item in error.errors())
        raise _refused(f"An environment variable is invalid. {details}") from error


def _refused(message: str) -> typer.Exit:
    typer.echo(f"Error: {message}", err=True)
    return typer.Exit(MISUSED)


def _console() -> Console:
    is_terminal = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    return Console() if is_terminal else Console(width=PIPE_WIDTH, force_terminal=False)
