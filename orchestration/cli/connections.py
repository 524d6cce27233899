"""Commands for connections to Git hosts and issue trackers: add one or replace its token, sync, remove."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from orchestration.cli.context import FAILED, failed, find_deployment, make_console, refused, typed_or_piped

if TYPE_CHECKING:
    from api.control.connections.connections import Account
    from ingest.probe import ConnectionKind
    from orchestration.deployment import Deployment

TOKEN_VARIABLE = "EAS_CONNECTION_TOKEN"
Organization = Annotated[str, typer.Option(help="Id or slug of the organization.")]


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
    from api.control.connections import connections
    from api.control.connections.connections import ConnectionChange, NewConnection
    from api.control.errors import ControlError
    from api.control.principals import OPERATOR
    from ingest.errors import IngestError, RateLimited, Transient
    from ingest.probe import connection_address, limit_of
    from orchestration.state.connections import of_organization

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


def sync(
    connections: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CONNECTION]...", help="Names or ids. Default: all connections.", show_default=False
        ),
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Read everything again, also what was deleted.")
    ] = False,
    organization: Organization = "local",
) -> None:
    """Read what changed at connected hosts and trackers, and publish it. Exits with 1 if one failed.

    A connection that its provider has paused is left out; it goes on by itself with a later run.
    """
    from api.control.errors import ControlError
    from orchestration.build import parsing
    from orchestration.commands import analysis, syncs
    from orchestration.runtime.terminal import Watcher, plain

    deployment = find_deployment()
    try:
        with deployment.control() as control:
            found = control.organization(organization)
        chosen = [syncs.named_synced(deployment, found.id, one) for one in dict.fromkeys(connections or [])]
        chosen = chosen or syncs.of_organization(deployment, found.id)
    except ControlError as error:
        raise refused(str(error)) from error
    if not chosen:
        raise refused("there is no connection yet; `eas connect` adds one")
    with parsing.ahead(deployment), Watcher(make_console()).watching() as watcher:
        problems = analysis.sync_and_build(deployment, found.id, found.slug, chosen, watcher, is_full=full)
    for one in problems:
        typer.echo(f"Failed: {plain(one.subject)}: {plain(one.reason)}", err=True)
    raise typer.Exit(FAILED if problems else 0)


def disconnect(
    connection: Annotated[str, typer.Argument(metavar="CONNECTION", help="Name or id of a connection.")],
    organization: Organization = "local",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete a connection with its token, and publish without its pull requests or issues. Repositories stay."""
    from api.control.connections.connections import remove_connection
    from api.control.errors import ControlError
    from api.control.principals import OPERATOR
    from orchestration.commands import analysis, syncs
    from orchestration.runtime.terminal import Watcher, plain

    deployment = find_deployment()
    try:
        with deployment.control() as control:
            owning = control.organization(organization)
        found = syncs.named(deployment, owning.id, connection)
        if not yes:
            typer.confirm(f"Delete {plain(found.name)} ({found.address}) and all that it read?", abort=True)
        with deployment.control() as control:
            remove_connection(control, OPERATOR, owning.id, found.id)
    except ControlError as error:
        raise refused(str(error)) from error
    with Watcher(make_console()).watching() as watcher:
        problems = analysis.sync_and_build(deployment, owning.id, owning.slug, [], watcher)
    for one in problems:
        typer.echo(f"Failed: {plain(one.subject)}: {plain(one.reason)}", err=True)
    typer.echo(f"Disconnected {plain(found.name)}.")
    raise typer.Exit(FAILED if problems else 0)


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
    from ingest.probe import connection_kinds

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
    from orchestration.deployment import LOCAL_ORGANIZATION, LOCAL_SLUG

    with deployment.control() as control:
        if given in (LOCAL_SLUG, LOCAL_ORGANIZATION):
            control.ensure_organization("Local", organization_id=LOCAL_ORGANIZATION, slug=LOCAL_SLUG)
        return str(control.organization(given).id)


def _checked(
    deployment: Deployment, kind: ConnectionKind, place: str, user: str, secret: str, options: dict[str, str]
) -> Account:
    from api.control.connections.connections import Account
    from ingest.probe import check_connection

    found = check_connection(kind.kind, place, user.strip(), secret, options, deployment.settings.reach)
    return Account(found.account, found.expires_at, found.warnings)
