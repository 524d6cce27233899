"""`/organizations/{organization}/members`: the members and their roles."""

from datetime import datetime
from functools import partial
from typing import Annotated, Literal

from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from api.callers.dependencies import MemberManager, MemberReader
from api.control.accounts import members
from api.control.permissions import Role
from api.http.parameters import Mask, NoQuery, Queried
from api.query.parameters import ControlQuery, OneOf, Search
from api.shapes import Empty, Shape, page_of
from api.v1.answers import answer_change, answer_record
from api.v1.control_lists import answer_list
from api.v1.paths import MemberPath

router = APIRouter(prefix="/organizations/{organization}/members", tags=["members"])

RoleName = Annotated[str, OneOf(*(role.name for role in Role))]


class MemberQuery(ControlQuery):
    """Parameters of the list."""

    search: Search = ""
    role: RoleName | None = Field(None, description="Only members with this role.")


class Member(Shape):
    """An account in the organization."""

    id: str
    email: str = Field(examples=["ada@example.org"])
    name: str = Field(examples=["Ada Lovelace"])
    role: Literal["OWNER", "ADMIN", "MEMBER", "VIEWER", "TEAM_LEAD"] = Field(
        description="The role of the member in the organization."
    )
    joined_at: datetime


MemberPage = page_of("MemberPage", "A page of members.", members=Member)


class MemberChange(Shape):
    """Changes to a member."""

    role: RoleName = Field(description="The new role.")


@router.get("", summary="Members", response_model=MemberPage)
async def list_members(reader: MemberReader, query: Queried[MemberQuery], request: Request) -> Response:
    """The members by name. Sortable by name, email, role, joinedAt."""
    role = Role[query.role] if query.role else None
    find = partial(members.list_members, search=query.search, role=role)
    return await answer_list(request, reader.organization_id, query, "members", find, Member)


@router.get("/{member}", summary="One member", response_model=Member)
async def get_member(reader: MemberReader, member: MemberPath, _: NoQuery, request: Request) -> Response:
    """A member with their role."""
    return await answer_record(request, reader, Member, members.member, member)


@router.patch("/{member}", summary="Change a member's role", response_model=Member)
async def update_member(
    manager: MemberManager,
    member: MemberPath,
    body: MemberChange,
    _: Queried[Mask[MemberChange]],
    request: Request,
) -> Response:
    """Change the role. It takes effect at once, also for API keys of the member.

    Only another owner can change the role of an owner or make a member an owner.
    """
    return await answer_change(request, manager, Member, members.change_role, member, Role[body.role])


@router.delete("/{member}", summary="Remove a member", response_model=Empty)
async def delete_member(manager: MemberManager, member: MemberPath, _: NoQuery, request: Request) -> Response:
    """Remove a member at once and revoke all API keys that the member created in the organization."""
    return await answer_change(request, manager, Empty, members.remove_member, member)
