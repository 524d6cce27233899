"""`/organizations`: the organizations of the caller."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from api.access.row_access import RowAccess
from api.callers.dependencies import (
    Account,
    Authenticated,
    OrganizationManager,
    OrganizationReader,
)
from api.control.accounts import throttles
from api.control.accounts.throttles import Allowance, Try
from api.control.errors import ControlError
from api.control.list_pages import ListQuery
from api.control.organizations import organizations
from api.control.permissions import Permission
from api.control.principals import Principal
from api.control.store import OrganizationRecord
from api.control.visibility import Visibility
from api.errors import FailedPrecondition, PermissionDenied
from api.http.paging import NO_BUILD
from api.http.parameters import Mask, NoQuery, Queried
from api.http.responses import private
from api.query.parameters import PageQuery, Search
from api.read.organizations import COLUMNS, Organization, analysed
from api.services import services
from api.shapes import Shape, page_of

router = APIRouter(prefix="/organizations", tags=["organizations"])

# A limit, because each organization gets a warehouse and a trial.
CREATIONS = Allowance("make organizations", 5, timedelta(hours=1))
UNANALYSED: dict[str, Any] = dict.fromkeys(COLUMNS)


class OrganizationQuery(PageQuery):
    """Parameters of the list of organizations."""

    all: bool = Field(
        False,
        description="true: every organization of the deployment. Only platform administrators and root may ask for it.",
    )
    search: Search = ""


class NewOrganization(Shape):
    """The name of an organization."""

    name: str = Field(max_length=255, description="1 to 255 characters.", examples=["Acme"])


OrganizationPage = page_of("OrganizationPage", "Organizations of the caller.", organizations=Organization)


@router.get("", summary="Organizations of the caller", response_model=OrganizationPage)
async def list_organizations(
    caller: Authenticated, page: Queried[OrganizationQuery], request: Request
) -> Response:
    """The organizations of a member, or the organization of an API key, by name. One whose sign-in policy does not
    accept the session is listed without figures; its own address says how to sign in.

    A platform administrator or root can ask for all of them, but sees figures only as a member. `search` looks in
    names, slugs and ids.
    """
    if page.all and not caller.is_platform_administrator:
        raise PermissionDenied(
            "you may not list every organization: only platform administrators and root may"
        )
    store, tokens = services(request).store, services(request).reads.tokens
    digest = page.digest("organizations", caller.actor[1] or "")
    open_ = {membership.organization_id for membership in caller.memberships}
    only = [*open_, *(shut.organization_id for shut in caller.shut)]
    found = await run_sync(
        lambda: store.list_organizations(
            ListQuery(page.limit, after=tokens.after(digest, page.page_token)),
            only=None if page.all else only,
            search=page.search,
        )
    )
    if found.total == len(found.items) == 1 and caller.may(Permission.READ_FIGURES, found.items[0].id):
        # The usual case, which is revalidated by its build.
        return await _answer(
            request,
            found.items[0],
            _scope(caller, found.items[0].id),
            lambda shown: {"organizations": [shown], "nextPageToken": "", "totalSize": 1},
        )
    shown = [
        _shown(record)
        | (await _analysed(request, _scope(caller, record.id)) if record.id in open_ else UNANALYSED)
        for record in found.items
    ]
    body = {
        "organizations": shown,
        "nextPageToken": tokens.next(digest, NO_BUILD, found.next_values),
        "totalSize": found.total,
    }
    return private(body)


@router.get("/{organization}", summary="One organization", response_model=Organization)
async def get_organization(reader: OrganizationReader, _: NoQuery, request: Request) -> Response:
    """An organization and the days that its newest build covers."""
    record = await run_sync(services(request).store.organization, reader.organization_id)
    if not reader.role:
        return private(_shown(record) | UNANALYSED)
    return await _answer(request, record, _scope(reader.principal, record.id), lambda shown: shown)


@router.post("", summary="Create an organization", response_model=Organization)
async def create_organization(
    caller: Account, body: NewOrganization, _: NoQuery, request: Request
) -> Response:
    """Create an organization. The signed-in account becomes its owner, and the organization becomes the active one of
    the session. The service derives the slug from the name.

    Answers FAILED_PRECONDITION when the account already owns 20 organizations or its address is not verified, and
    RESOURCE_EXHAUSTED when it created too many in a short time.
    """
    store = services(request).store
    one = Try(CREATIONS, caller.account_id or "")
    await run_sync(throttles.take, store, one)
    try:
        made = await run_sync(organizations.create_organization, store, caller, body.name)
    except ControlError:
        await run_sync(throttles.give_back, store, one)
        raise
    return private(_shown(await run_sync(store.organization, made)) | UNANALYSED)


@router.patch("/{organization}", summary="Rename an organization", response_model=Organization)
async def update_organization(
    manager: OrganizationManager, body: NewOrganization, _: Queried[Mask[NewOrganization]], request: Request
) -> Response:
    """Change the name. The id and the slug do not change. To change settings, use `…/settings`."""
    store = services(request).store
    await run_sync(
        organizations.rename_organization, store, manager.principal, manager.organization_id, body.name
    )
    record = await run_sync(store.organization, manager.organization_id)
    return private(_shown(record) | await _analysed(request, _scope(manager.principal, record.id)))


def _scope(caller: Principal, organization_id: str) -> RowAccess:
    found = caller.membership(organization_id)
    return RowAccess.of(organization_id, found.visibility if found else Visibility(teams=()))


async def _analysed(request: Request, access: RowAccess) -> dict[str, Any]:
    try:
        return await services(request).reads.value(access, lambda build: analysed(build, access))
    except FailedPrecondition:
        return UNANALYSED


async def _answer(
    request: Request,
    record: OrganizationRecord,
    access: RowAccess,
    shape: Callable[[dict[str, Any]], dict[str, Any]],
) -> Response:
    try:
        return await services(request).reads.answer(
            request,
            access,
            lambda build: shape(_shown(record) | analysed(build, access)),
            varies=repr(record),
            needs_build=True,
        )
    except FailedPrecondition:
        return private(shape(_shown(record) | UNANALYSED))


def _shown(record: OrganizationRecord) -> dict[str, Any]:
    return {
        "id": record.id,
        "name": record.name,
        "slug": record.slug,
        "timeZone": record.time_zone,
        "workCategoryGrouping": record.work_category_grouping.upper(),
        "createdAt": record.created_at,
    }
