"""`eas root-login`: signs credentials with which the operator signs in as root, makes keys, lists and ends logins."""

from __future__ import annotations

import getpass
import os
import socket
import sys
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from typing import Annotated

import typer
from joserfc.jwk import OKPKey

from api.control.accounts import root_logins
from api.control.errors import ControlError
from api.control.principals import OPERATOR
from api.control.store import utc_now
from api.operator.root_credentials import (
    MAX_ISSUER_LENGTH,
    new_private_key,
    private_key,
    public_part,
    sign_credential,
)
from api.operator.settings import application_address, is_loopback, operator_settings
from api.operator.variables import ADMINISTRATOR
from orchestration.cli.context import find_deployment, refused
from orchestration.runtime.terminal import plain

app = typer.Typer(
    help="Sign in as root for an hour, and see who did.", invoke_without_command=True, add_completion=False
)

FORM = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="referrer" content="no-referrer">
<title>Sign in as root</title><h1>Sign in as root</h1><p>At {address}, once, within ten minutes.</p>
<form method="post" action="{action}"><input type="hidden" name="credential" value="{credential}">
<button>Sign in as root</button></form></html>"""
# The shell gives the text to curl: other users of the machine see arguments.
COMMAND = """curl --silent --show-error --data @- '{action}' <<'END'
credential={credential}
END"""
HOW_FORM = """The page signs {issuer} in as root at {address}, once, within ten minutes. Open it in a browser:
    eas root-login --key FILE > root-login.html
Where there is no browser: eas root-login --key FILE --curl | sh"""
HOW_CURL = """The command signs {issuer} in as root at {address}, once, within ten minutes. Pipe it into a shell:
    eas root-login --key FILE --curl | sh
The answer has a token for `Authorization: Bearer …`, which works for an hour."""
HOW_KEY = """The private key is in {file}, which only you can read. Keep it off the server.
1. Set this in the environment of every process of the deployment, and restart them:"""
NEXT_KEY = """2. Sign in, on any machine that has the key and this program:
    EAS_APP_URL=https://the-address-of-the-deployment eas root-login --key {file} > root-login.html"""


@app.callback()
def sign(
    context: typer.Context,
    key: Annotated[
        Path | None, typer.Option(help="File of the private key. Default: a prompt, or standard input.")
    ] = None,
    issuer: Annotated[
        str | None, typer.Option(help="Who signs in, for the audit log. Default: user@host.")
    ] = None,
    address: Annotated[
        str | None, typer.Option(help="Address of the application. Default: EAS_APP_URL.")
    ] = None,
    curl: Annotated[bool, typer.Option("--curl", help="Print a command for the shell, not a page.")] = False,
) -> None:
    """Sign a credential and print a page that signs in as root with it, once, within ten minutes.

    `eas root-login new-key FILE` makes the key first.
    """
    if context.invoked_subcommand is not None:
        return
    own_name = f"{getpass.getuser()}@{socket.gethostname()}"[:MAX_ISSUER_LENGTH]
    name = (own_name if issuer is None else issuer).strip()
    if not name or len(name) > MAX_ISSUER_LENGTH or not name.isprintable():
        raise refused(f"--issuer: give 1 to {MAX_ISSUER_LENGTH} characters")
    aimed = (address or application_address()).rstrip("/")
    if not aimed.startswith(("https://", "http://")) or not aimed.isprintable() or set(aimed) & set("'\"<> "):
        raise refused("--address: give the address of the application, such as https://eas.example")
    if aimed.startswith("http://") and not is_loopback(aimed):
        typer.echo(
            f"Warning: {aimed} is not encrypted: everybody between here and there can read the credential and the"
            " token of the login. Use the https address of the application.",
            err=True,
        )
    own = _private_key(key)
    accepted = operator_settings().root_keys
    if accepted and public_part(own) not in accepted:
        typer.echo(
            "Warning: with the settings of this environment, the deployment accepts another key than this one"
            f" ({public_part(own)}).",
            err=True,
        )
    credential = sign_credential(own, issuer=name, audience=aimed, now=datetime.now(UTC))
    shown = {"action": f"{aimed}/impersonate", "address": aimed, "credential": credential}
    if curl:
        typer.echo(COMMAND.format(**shown))
    else:
        typer.echo(FORM.format(**{part: escape(text) for part, text in shown.items()}))
    typer.echo((HOW_CURL if curl else HOW_FORM).format(issuer=name, address=aimed), err=True)


@app.command("new-key")
def new_key(
    file: Annotated[Path, typer.Argument(help="New file for the private key.")],
) -> None:
    """Make a pair of keys: the private one into a file, the public one for EAS_ADMINISTRATOR_KEY to the terminal."""
    secret = new_private_key()
    try:
        number = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise refused(
            f"{file} exists already; name a new file, because a key that is replaced is lost"
        ) from None
    except OSError as error:
        raise refused(f"{file} cannot be written: {error.strerror}") from error
    with os.fdopen(number, "w") as handle:
        handle.write(f"{secret}\n")
    # Only the setting goes to standard output, so that a script can append it to a file.
    typer.echo(HOW_KEY.format(file=file), err=True)
    typer.echo(f"{ADMINISTRATOR}={public_part(private_key(secret))}")
    typer.echo(NEXT_KEY.format(file=file), err=True)


@app.command("list")
def show() -> None:
    """List all root logins, newest first: who, when, with which key, and until when."""
    with find_deployment().control() as control:
        found = root_logins.list_logins(control)
        slugs = {one.id: one.slug for one in control.organizations()}
    if not found:
        typer.echo("Nobody has signed in as root.")
        return
    # Lines and no table: the ids are copied, and a narrow terminal would cut them.
    for one in found:
        is_open, over = one.is_open(utc_now()), min(one.ended_at or one.expires_at, one.expires_at)
        state = f"{'until' if is_open else 'ended'} {over:%H:%M}"
        if is_open and not one.is_live:
            state += " (refused where the settings are those of this environment: its key is not accepted)"
        entered = slugs.get(one.entered_organization_id or "", "no organization") if is_open else ""
        who = f"{plain(one.issuer)} (credential {plain(one.credential_id)}, {one.signer} key)"
        parts = (one.id, f"{one.created_at:%Y-%m-%d %H:%M} UTC", state, entered, who)
        typer.echo("  ".join(part for part in parts if part))


@app.command("end")
def end(
    login: Annotated[
        str | None, typer.Argument(help="Id of a login, as `eas root-login list` has it.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="End every login.")] = False,
) -> None:
    """End a root login at once, or all of them."""
    if (login is None) is not every:
        raise refused("give the id of one login, or --all; `eas root-login list` has the ids")
    with find_deployment().control() as control:
        if login is None:
            ended = root_logins.end_all(control)
            typer.echo(f"Ended {ended} root {'login' if ended == 1 else 'logins'}.")
            return
        try:
            root_logins.leave(control, login, OPERATOR, ends=True)
        except ControlError as error:
            raise refused(str(error)) from error
    typer.echo(f"Ended the root login {login}.")


def _private_key(file: Path | None) -> OKPKey:
    """The key of a file, a prompt or standard input, and never of an argument, which other users can read."""
    try:
        if file is not None:
            text = file.read_text()
            if file.stat().st_mode & 0o077:
                typer.echo(f"Warning: other users can read {file}; `chmod 600 {file}` closes it.", err=True)
        elif sys.stdin.isatty():
            text = str(typer.prompt("Private key", hide_input=True, err=True))
        else:
            text = sys.stdin.read()
        return private_key(text)
    except OSError as error:
        raise refused(f"--key: {file} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise refused(f"{error}; `eas root-login new-key FILE` makes one") from error
