"""Commands for API tokens."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from typing import Annotated

import typer
from rich.console import Console

from api.control.errors import ControlError, InvalidSetting
from orchestration.cli.context import find_deployment, refused


def create_token(
    name: Annotated[str, typer.Option(help="Purpose of the token, 1 to 100 characters.")],
    organization: Annotated[str, typer.Option(help="Id or slug of the organization.")] = "local",
    expires: Annotated[
        date | None,
        typer.Option(
            parser=parse_day,
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

    last_instant = datetime.combine(expires, time.max, UTC) if expires else None
    try:
        with find_deployment().control() as control:
            scope = "write" if write else "read"
            new = tokens.create_token(control, organization, name, scope=scope, expires_at=last_instant)
    except InvalidSetting as error:
        option = "expires" if error.field == "expires_at" else error.field
        raise refused(f"--{option}: {error.problem}") from error
    except ControlError as error:
        raise refused(str(error)) from error
    # Only the key goes to standard output, so that a script can read it.
    Console(stderr=True).print(
        f"Token {new.token.name!r} for {organization}. Store the key; it cannot be shown again:"
    )
    typer.echo(new.key)


def parse_day(text: str) -> date:
    """The day of an option. Raises BadParameter."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a date; use the form 2027-12-31") from None
