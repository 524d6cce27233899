"""`/organizations/{organization}/repositories`: adding many, the lists of the Manage view, changing one."""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from starlette.responses import Response

from api.callers.dependencies import RepositoryManager, RepositoryReader
from api.control import errors as control_errors
from api.control.batches import write_each
from api.control.changes import UNCHANGED
from api.control.connections import available
from api.control.repositories import repositories
from api.control.repositories.repositories import ManagedRepository, NewRepository, RepositoryState
from api.control.repositories.settings import Settings, SettingsChange
from api.control.store import ControlStore
from api.errors import InvalidArgument
from api.http.parameters import Mask, NoQuery, Queried
from api.http.responses import private
from api.http.statuses import item_status
from api.query.records import shown
from api.services import services
from api.v1.answers import answer_change, answer_record
from api.v1.control_lists import answer_list
from api.v1.organizations.operations import Operation, sees_all, shown_operation
from api.v1.paths import RepositoryPath
from api.v1.repositories.shapes import (
    AddedRepositories,
    Malformed,
    ManagedPage,
    ManagedQuery,
    RepositoryChange,
    RepositorySettings,
    RepositoryToAdd,
    Selection,
)
from ingest.probe import AddressRefused, Reach, probe_address, remembering

router = APIRouter(prefix="/organizations/{organization}/repositories", tags=["repositories"])

NO_REPOSITORY = (
    "This organization has no repository yet. An owner or admin adds one (POST …/repositories:batchCreate) or a "
    "connection that lists them (POST …/connections)."
)


@router.post(":batchCreate", summary="Add repositories", response_model=AddedRepositories)
async def batch_create_repositories(
    manager: RepositoryManager, body: Selection, _: NoQuery, request: Request
) -> Response:
    """Add up to 500 repositories by address, or by connection and provider id. Each succeeds or fails on its own.
    `status.code` is 0 for an added repository, 6 for an existing one, 3 for a malformed or refused address, and 13
    after a server error (try again).

    While the service runs, it starts to analyse the repositories within a minute, also where `analysisMode` is
    ON_REQUEST, and reads their pull requests and issues at their connection. A build follows.
    """
    store, reach = services(request).store, remembering(services(request).reach)

    def add() -> list[ManagedRepository | Exception]:
        named = [one for one in body.repositories if isinstance(one, RepositoryToAdd)]
        listed = _listed(store, manager.organization_id, named)
        wanted = [_wanted(store, one, manager.organization_id, reach, listed) for one in named]
        # Each is committed on its own.
        return write_each(
            wanted,
            lambda one: repositories.add_repository(store, manager.principal, manager.organization_id, one),
        )

    added = iter(await run_sync(add))
    outcomes = [one.refusal if isinstance(one, Malformed) else next(added) for one in body.repositories]
    results = [
        {
            "address": outcome.address
            if isinstance(outcome, ManagedRepository)
            else _harmless(given.address or ""),
            "providerId": given.provider_id if isinstance(given, RepositoryToAdd) else None,
            "status": item_status(outcome),
            "repository": _shown(outcome) if isinstance(outcome, ManagedRepository) else None,
        }
        for given, outcome in zip(body.repositories, outcomes, strict=True)
    ]
    return private({"results": results})


# The path is the collection's with a word, hence no slash before it.
@router.get(":managed", summary="Repositories by state", response_model=ManagedPage)
async def list_managed_repositories(
    reader: RepositoryReader, query: Queried[ManagedQuery], request: Request
) -> Response:
    """The repositories of one state (default: all) by name, and the number of repositories in each state. Includes
    repositories without figures yet. `nextStep` says what to do where there is none.

    Sortable by name, createdAt, analyzedAt, commitTotal, id. `repositories:available` lists those that can be added.
    """
    app, organization = services(request), reader.organization_id
    hides = reader.visibility.minimum_group_size > 1
    if hides and "commitTotal" in query.order_by:
        raise InvalidArgument(
            "orderBy",
            "you may not sort by commitTotal, because you may not see commit totals; sort by another column",
        )
    counts = await run_sync(repositories.state_counts, app.store, organization)
    find = partial(repositories.list_repositories, state=RepositoryState(query.state), search=query.search)
    return await answer_list(
        request, organization, query, "repositories", find,
        partial(_shown, hides=hides),
        bound_to=f"managed {organization}",
        more={
            "nextStep": None if counts[RepositoryState.ALL] else NO_REPOSITORY,
            "counts": {
                "all": counts[RepositoryState.ALL],
                "active": counts[RepositoryState.ACTIVE],
                "disabled": counts[RepositoryState.DISABLED],
                "needsAttention": counts[RepositoryState.NEEDS_ATTENTION],
                "sandbox": counts[RepositoryState.SANDBOX],
            }
        },
    )  # fmt: skip


@router.get("/{repository}/settings", summary="Settings of a repository", response_model=RepositorySettings)
async def get_repository_settings(
    reader: RepositoryReader, repository: RepositoryPath, _: NoQuery, request: Request
) -> Response:
    """The current settings and health of a repository. For its figures, use `/repositories/{repository}`."""
    shape = partial(_shown, hides=reader.visibility.minimum_group_size > 1)
    return await answer_record(request, reader, shape, repositories.managed_repository, repository)


@router.patch("/{repository}", summary="Change a repository", response_model=RepositorySettings)
async def update_repository(
    manager: RepositoryManager,
    repository: RepositoryPath,
    body: RepositoryChange,
    query: Queried[Mask[RepositoryChange]],
    request: Request,
) -> Response:
    """Change the settings of a repository. Any change resumes a stopped repository, unless the change sets
    `isStopped`.

    After a change of the default branch, the service analyses the repository again. A branch that the last reading
    did not find is refused, with near names. Until then, answers have the
    figures of the former branch.
    """
    chosen = query.chosen(body)
    values = {name: getattr(body, name) for name in chosen}
    change = SettingsChange(
        name=(body.name or "") if "name" in chosen else UNCHANGED,
        analysis_start_at=values.get("analysis_start_time", UNCHANGED),
        chosen_branch=values.get("default_branch", UNCHANGED),
        tags=tuple(body.tags) if "tags" in chosen else UNCHANGED,
        is_sandbox=values.get("is_sandbox", UNCHANGED),
        is_excluded=values.get("is_excluded", UNCHANGED),
        is_disabled=values.get("is_disabled", UNCHANGED),
        is_stopped=values.get("is_stopped", UNCHANGED),
    )
    return await answer_change(request, manager, _shown, repositories.change_repository, repository, change)


@router.post("/{repository}:analyze", summary="Analyse a repository now", response_model=Operation)
async def analyze_repository(
    manager: RepositoryManager, repository: RepositoryPath, _: NoQuery, request: Request
) -> Response:
    """Read the repository now and, with its connection, its pull requests and issues at the host. A build follows. So
    figures become newer without the night, and where `analysisMode` is ON_REQUEST.

    The answer is the operation. Answers FAILED_PRECONDITION while the repository is disabled or stopped.
    """
    shape = partial(shown_operation, in_full=sees_all(manager))
    return await answer_change(request, manager, shape, repositories.analyze_repository, repository)


def _listed(
    store: ControlStore, organization_id: str, given: Sequence[RepositoryToAdd]
) -> dict[tuple[str, str], str | Exception]:
    """The addresses of repositories that are given by connection and provider id, by both."""
    found: dict[tuple[str, str], str | Exception] = {}
    for connection in {one.connection for one in given if one.connection is not None}:
        ids = [one.provider_id for one in given if one.connection == connection and one.provider_id]
        try:
            known = available.named_repositories(store, organization_id, connection, ids)
        except control_errors.NotFound as error:
            found |= {
                (connection, one): control_errors.InvalidSetting("connection", str(error)) for one in ids
            }
            continue
        for one in ids:
            found[connection, one] = (
                # Some hosts list it with the login of the token.
                re.sub("^(https://)[^/@]*@", r"\1", known[one].address)
                if one in known
                else control_errors.InvalidSetting(
                    "providerId",
                    "the connection lists no repository with this id; sync it, and check what its token may read",
                )
            )
    return found


def _wanted(
    store: ControlStore,
    given: RepositoryToAdd,
    organization_id: str,
    reach: Reach,
    listed: Mapping[tuple[str, str], str | Exception],
) -> NewRepository | Exception:
    address = given.address or ""
    if given.connection is not None:
        # Also an address that a host lists could lead to an internal network.
        found = listed[given.connection, given.provider_id or ""]
        if isinstance(found, Exception):
            return found
        address = found
    try:
        probed = probe_address(address, organization_id, reach)
    except AddressRefused as error:
        return control_errors.InvalidSetting("address", str(error))
    except Exception as error:  # noqa: BLE001 # of this item alone
        return error
    settings = Settings(
        name=given.name if given.name is not None else probed.name,
        analysis_start_at=given.analysis_start_time,
        chosen_branch=given.default_branch,
        tags=tuple(given.tags),
        is_sandbox=given.is_sandbox,
        is_excluded=given.is_excluded,
    )
    place = given.connection, given.provider_id
    if given.connection is None:
        # One that lists it also has its pull requests.
        listing = available.listing_connections(store, organization_id, probed.repository_id)
        place = listing[0] if listing else (None, None)
    is_named = given.name is not None
    return NewRepository(probed.repository_id, probed.origin, probed.url, settings, *place, is_named)


def _harmless(address: str) -> str | None:
    """An address that was refused, unless something in it could be a secret."""
    return None if not address or "@" in address or not address.isprintable() else address[:255]


def _shown(one: ManagedRepository, *, hides: bool = False) -> dict[str, Any]:
    return shown(
        RepositorySettings,
        one,
        applied_analysis_start_time=one.analysis_start_at or one.default_start_at,
        failure=one.failure or one.connection_failure,
        commit_total=None if hides else one.commit_total,
    )
