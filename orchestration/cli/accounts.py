"""Commands for people who sign in: create an account, and give it a role."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from api.control.accounts import accounts, members
from api.control.accounts.passwords import MEMORY_KIB, Passwords, checklist
from api.control.errors import ControlError
from api.control.permissions import Role
from api.control.principals import OPERATOR
from api.control.store import ControlStore
from orchestration.cli.context import find_deployment, refused, typed_or_piped

Administrator = Annotated[
    bool,
    typer.Option(
        "--administrator",
        help="Make the account a platform administrator, who manages the members of every organization.",
    ),
]


def create_account(
    email: Annotated[str, typer.Argument(help="Email address for signing in.")],
    name: Annotated[str, typer.Option(help="Name of the person.")],
    organization: Annotated[
        str | None, typer.Option(help="Id or slug of the organization that the person joins.")
    ] = None,
    role: Annotated[
        str | None, typer.Option(help="owner (without it), admin, member, viewer or team_lead.")
    ] = None,
    administrator: Administrator = False,
) -> None:
    """Create an account without sending mail. The command asks for the password, or reads it from standard input.

    The email address counts as confirmed. Use this command to give the organization of `eas analyze` its first owner.
    A password has at least 8 characters, among them a lower-case and an upper-case letter, a digit and a sign.
    """
    member_role = _role(role or "owner")
    if role is not None and organization is None:
        raise refused("--role: use --organization to name the organization of the role")
    try:
        with find_deployment().control() as control:
            chosen = control.organization(organization).id if organization else None
            accounts.refuse_new(control, email, name)
            if sys.stdin.isatty():
                typer.echo(f"A password needs {checklist()}.", err=True)
            password = typed_or_piped("Password", is_typed_twice=True)
            if not password:
                raise refused("no password was given: type it at the prompt, or pipe it in")
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
        raise refused(str(error)) from error
    told = [f"{member_role} of {organization}"] if chosen is not None else []
    told += ["platform administrator"] if administrator else []
    typer.echo(f"Created an account for {made.email}{''.join(f', {one}' for one in told)}.")


def grant(
    email: Annotated[str, typer.Argument(help="Email address of the account.")],
    organization: Annotated[str | None, typer.Option(help="Id or slug of an organization.")] = None,
    role: Annotated[str, typer.Option(help="owner, admin, member, viewer or team_lead.")] = "owner",
    administrator: Administrator = False,
    unverified: Annotated[
        bool,
        typer.Option(
            "--unverified",
            help="Also if nobody has verified the address. Make sure that the account belongs to the person.",
        ),
    ] = False,
) -> None:
    """Give an account with a verified address a role in an organization, or make it a platform administrator."""
    if organization is None and not administrator:
        raise refused("use --organization or --administrator to name the role to grant")
    try:
        with find_deployment().control() as control:
            if organization is not None:
                chosen = control.organization(organization).id
                _put(control, chosen, email, _role(role), may_be_unverified=unverified)
            if administrator:
                accounts.make_administrator(control, email, may_be_unverified=unverified)
    except ControlError as error:
        raise refused(str(error)) from error
    told = [f"{_role(role)} of {organization}"] if organization is not None else []
    told += ["platform administrator"] if administrator else []
    typer.echo(f"{email} is {' and '.join(told)} now.")


def _role(name: str) -> Role:
    try:
        return Role(name.lower())
    except ValueError:
        raise refused(f"--role: use one of {', '.join(Role)}") from None


def _put(
    control: ControlStore, organization_id: str, email: str, role: Role, *, may_be_unverified: bool = False
) -> None:
    members.put_member(control, OPERATOR, organization_id, email, role, may_be_unverified=may_be_unverified)
