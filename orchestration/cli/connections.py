"""The command that connects a Git host, an issue tracker, an AI tool or a model endpoint, or replaces its token."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import Annotated
from urllib.parse import urlsplit

import typer

from api.control.connections import connections
from api.control.connections.connections import Account, ConnectionChange, NewConnection
from api.control.errors import ControlError
from api.control.principals import OPERATOR
from ingest.errors import IngestError, RateLimited, Transient
from ingest.probe import ConnectionKind, check_connection, connection_address, connection_kinds, limit_of
from orchestration.cli.context import Organization, failed, find_deployment, refused, typed_or_piped
from orchestration.deployment import LOCAL_ORGANIZATION, LOCAL_SLUG, Deployment
from orchestration.state.connections import of_organization

TOKEN_VARIABLE = "EAS_CONNECTION_TOKEN"


def connect(
    kind: Annotated[
        str,
        typer.Argument(metavar="KIND", help="Such as github, gitlab, jira-cloud, linear or github-copilot."),
    ],
    address: Annotated[
        str | None, typer.Argument(help="https address. Default: that of the cloud service.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="Name of the connection. Default: title and host.")] = None,
    user: Annotated[
        str, typer.Option(help="Email address or login of the token, where the kind needs one.")
    ] = "",
    option: Annotated[
        list[str] | None, typer.Option(metavar="NAME=VALUE", help="An option of the kind; repeatable.")
    ] = None,
    organization: Organization = "local",
) -> None:
    """Connect a Git host, an issue tracker or an AI tool, which the next `eas analyze` or `eas sync` reads, or a model
    endpoint, which writes the text of summaries.

    The token comes from a prompt, from standard input or from the variable EAS_CONNECTION_TOKEN, and is tried at once.
    The same kind, address and name replace the token of a connection, which keeps its data. Exits with 1 if the
    provider does not answer, with 2 if it refuses the token.
    """
    deployment = find_deployment()
    try:
        chosen = _kind(kind)
        options = _options(chosen, option or [], user)
        place = connection_address(chosen.kind, address, deployment.settings.reach)
        organization_id = _organization(deployment, organization)
        secret = connections.checked_secret(_token(chosen, place), is_optional=not chosen.needs_secret)
        account = _checked(deployment, chosen, place, user, secret, options)
        called = name or f"{chosen.title} ({urlsplit(place).netloc})"
        known = [
            one
            for one in of_organization(deployment, organization_id)
            if (one.kind, one.address, one.name) == (chosen.kind, place, called)
        ]
        with deployment.control() as control:
            if known:
                change = ConnectionChange(options=options, user=user.strip(), secret=secret, account=account)
                connections.change_connection(control, OPERATOR, organization_id, known[0].id, change)
            else:
                new = NewConnection(
                    chosen.kind, chosen.category, place, called, secret, user.strip(), options, chosen.levels, account
                )  # fmt: skip
                connections.add_connection(control, OPERATOR, organization_id, new)
    except RateLimited as error:
        raise failed(limit_of(chosen.title, error, datetime.now(UTC))[0]) from error
    except Transient as error:
        raise failed(str(error)) from error
    except (ControlError, IngestError) as error:
        raise refused(str(error)) from error
    for warning in account.warnings:
        typer.echo(f"Warning: {warning}", err=True)
    done = "Replaced the token of" if known else "Connected"
    then = "`eas sync` reads it now." if chosen.is_synced else "It writes summaries from now on."
    typer.echo(f"{done} {called}{f' as {account.name}' if account.name else ''}. {then}")


def _token(kind: ConnectionKind, place: str) -> str:
    if TOKEN_VARIABLE in os.environ:
        token = os.environ[TOKEN_VARIABLE]
    elif kind.needs_secret:
        token = typed_or_piped(f"Token for {kind.title} at {place}")
    else:
        token = typed_or_piped(f"Key for {kind.title} at {place} (empty: none)", may_be_empty=True)
    if kind.needs_secret and not token.strip():
        raise refused(f"no token was given: type it at the prompt, pipe it in, or set {TOKEN_VARIABLE}")
    return token


def _kind(given: str) -> ConnectionKind:
    """The kind of this name, which may have hyphens."""

    by_name = {one.kind.lower().replace("_", "-"): one for one in connection_kinds()}
    found = by_name.get(given.strip().lower().replace("_", "-"))
    if found is None:
        raise refused(f"{given} is no kind of connection; use one of {', '.join(by_name)}")
    return found


def _options(kind: ConnectionKind, given: list[str], user: str) -> dict[str, str]:
    options = dict(one.partition("=")[::2] for one in given)
    listed = ", ".join(kind.options) or "none"
    for name, value in options.items():
        if name not in kind.options or not value.strip():
            raise refused(f"--option {name}: {kind.title} has these options, with a value each: {listed}")
    if kind.needs_user and not user.strip():
        raise refused(f"--user: {kind.title} needs the email address or login of the token")
    return {name: value.strip() for name, value in options.items()}


def _organization(deployment: Deployment, given: str) -> str:
    """The id of the organization. That of the command line is made where it is new."""

    with deployment.control() as control:
        if given in (LOCAL_SLUG, LOCAL_ORGANIZATION):
            control.ensure_organization("Local", organization_id=LOCAL_ORGANIZATION, slug=LOCAL_SLUG)
        return str(control.organization(given).id)


def _checked(
    deployment: Deployment, kind: ConnectionKind, place: str, user: str, secret: str, options: dict[str, str]
) -> Account:

    found = check_connection(kind.kind, place, user.strip(), secret, options, deployment.settings.reach)
    return Account(found.account, found.expires_at, found.warnings)
