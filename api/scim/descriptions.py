"""Resources of SCIM and the profiles of the control database: each made from the other.

Keep out: queries (storage.py, searches.py), what a profile changes (api/control/scim).
"""

from collections.abc import Iterable, Sequence
from typing import Any

from scim2_models import Meta, Path, Resource, default_comparison_key
from scim2_server.utils import parametrize

from api.control.accounts.accounts import email_key
from api.control.errors import InvalidSetting
from api.control.models import DirectoryGroup, DirectoryGroupMember, DirectoryUser
from api.control.permissions import Role
from api.control.scim.profiles import ROLES, GroupProfile, UserProfile
from api.scim.service import GROUP, USER

# Made by the service, so not kept with what the directory sent.
MADE = ("id", "meta", "groups", "members")
ROLE_NAMES = {role.value.replace("_", ""): role for role in ROLES}


def user_profile(resource: Any) -> UserProfile:
    """The profile of a user. The address is a mail of the user, the primary or work one first, else `userName`."""
    return UserProfile(
        user_name_key=comparison_key(type(resource), "userName", resource.user_name),
        external_id=resource.external_id
        and comparison_key(type(resource), "externalId", resource.external_id),
        email=_address(resource),
        name=_name(resource),
        is_active=resource.active,
        role=_role(resource.roles or []),
        # A new one that does not say whether it is active is active.
        resource=({"active": True} if resource.meta is None else {}) | _sent(resource),
    )


def group_profile(resource: Any) -> GroupProfile:
    """The profile of a group."""
    external_id = resource.external_id
    return GroupProfile(
        display_name=resource.display_name or "",
        display_name_key=comparison_key(type(resource), "displayName", resource.display_name or ""),
        external_id=external_id and comparison_key(type(resource), "externalId", external_id),
        resource=_sent(resource),
        members={one.value: one.display for one in resource.members or [] if one.value},
    )


def comparison_key(model: type[Resource[Any]], attribute: str, value: str) -> str:
    """The text by which values of an attribute are compared."""
    return default_comparison_key(parametrize(Path, model)(attribute).resolve(), value)


def user_resource(
    model: type[Resource[Any]], row: DirectoryUser, groups: Iterable[DirectoryGroup] = ()
) -> Resource[Any]:
    """The resource of a user with the groups that it is in."""
    in_groups = [
        {
            "value": group.id,
            "$ref": f"Groups/{group.id}",
            "display": group.resource.get("displayName"),
            "type": "direct",
        }
        for group in groups
    ]
    given: dict[str, Any] = {"id": row.id} | ({"groups": in_groups} if in_groups else {})
    return _described(model, row, USER, given)


def group_resource(
    model: type[Resource[Any]],
    row: DirectoryGroup,
    members: Sequence[DirectoryGroupMember] = (),
) -> Resource[Any]:
    """The resource of a group with its members."""
    shown = [
        {
            "value": member.member_id,
            "$ref": f"{member.kind}s/{member.member_id}",
            "type": member.kind,
            "display": member.display,
        }
        for member in members
    ]
    return _described(model, row, GROUP, {"id": row.id} | ({"members": shown} if shown else {}))


def _described(
    model: type[Resource[Any]], row: DirectoryUser | DirectoryGroup, kind: str, given: dict[str, Any]
) -> Resource[Any]:
    made: Resource[Any] = model.model_validate({**row.resource, **given})
    made.meta = Meta(
        resource_type=kind,
        created=row.created_at,
        last_modified=row.modified_at,
        version=f'W/"{row.version}"',
    )
    return made


def _sent(resource: Resource[Any]) -> dict[str, Any]:
    return {name: value for name, value in resource.model_dump().items() if name not in MADE}


def _address(resource: Any) -> str | None:
    mails = [one for one in resource.emails or [] if one.value]
    mails.sort(key=lambda one: (not one.primary, (one.type or "").lower() != "work"))
    for address in (*(one.value for one in mails), resource.user_name):
        try:
            email_key(address)
        except InvalidSetting:
            continue
        return str(address).strip()
    return None


def _name(resource: Any) -> str:
    name = resource.name
    parts = (name.given_name, name.family_name) if name is not None else ()
    written = " ".join(part for part in parts if part)
    return resource.display_name or (name.formatted if name is not None else None) or written or ""


def _role(roles: Sequence[Any]) -> Role | None:
    """The role that the directory names: of the primary value, else of the first one that names a role it may give."""
    for one in sorted(roles, key=lambda role: not role.primary):
        for text in (one.value, one.display):
            spelled = "".join(letter for letter in (text or "").lower() if letter.isalnum())
            if spelled in ROLE_NAMES:
                return ROLE_NAMES[spelled]
    return None
