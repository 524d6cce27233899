"""Commands for API tokens and ingest tokens."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, time
from typing import Annotated

import typer
from rich.console import Console

from api.control.accounts import tokens
from api.control.errors import ControlError, InvalidSetting
from api.control.telemetry import ingest_tokens
from orchestration.cli.context import Organization, find_deployment, refused


def create_token(
    name: Annotated[str, typer.Option(help="Purpose of the token, 1 to 100 characters.")],
    organization: Organization = "local",
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
    with _told_refusals(), find_deployment().control() as control:
        scope = "write" if write else "read"
        new = tokens.create_token(control, organization, name, scope=scope, expires_at=_last_instant(expires))
    _show_once(f"Token {new.token.name!r}", organization, new.key)


def create_ingest_token(
    name: Annotated[str, typer.Option(help="Purpose of the token, 1 to 100 characters.")],
    organization: Organization = "local",
    developer_email: Annotated[
        str | None,
        typer.Option(help="Address of the developer whose AI tools send with it. Default: many share it."),
    ] = None,
    expires: Annotated[
        date | None,
        typer.Option(
            parser=parse_day,
            metavar="YYYY-MM-DD",
            help="Last day (UTC) on which the token is valid. Default: no expiry.",
        ),
    ] = None,
) -> None:
    """Create an ingest token, with which AI tools send telemetry, and print its key. It cannot be shown again."""
    with _told_refusals(), find_deployment().control() as control:
        new = ingest_tokens.create_ingest_token(
            control, organization, name, developer_email=developer_email, expires_at=_last_instant(expires)
        )
    _show_once(f"Ingest token {new.token.name!r}", organization, new.key)


@contextmanager
def _told_refusals() -> Iterator[None]:
    """Refusals of the control database in a block, as messages about options."""
    try:
        yield
    except InvalidSetting as error:
        option = {"expires_at": "expires", "developer_email": "developer-email"}.get(error.field, error.field)
        raise refused(f"--{option}: {error.problem}") from error
    except ControlError as error:
        raise refused(str(error)) from error


def _last_instant(expires: date | None) -> datetime | None:
    return datetime.combine(expires, time.max, UTC) if expires else None


def _show_once(what: str, organization: str, key: str) -> None:
    # Only the key goes to standard output, so that a script can read it.
    Console(stderr=True).print(f"{what} for {organization}. Store the key; it cannot be shown again:")
    typer.echo(key)


def parse_day(text: str) -> date:
    """The day of an option. Raises BadParameter."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter(f"{text!r} is not a date; use the form 2027-12-31") from None
