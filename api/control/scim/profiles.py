"""Users and groups as a directory describes them, without the protocol.

Keep out: attributes of SCIM (api/scim), what a description changes (directory_users.py, directory_groups.py).
"""

from dataclasses import dataclass, field
from typing import Any

from api.control.permissions import Role

# Roles that a directory may give. Owners and admins are made by people.
ROLES = (Role.MEMBER, Role.TEAM_LEAD, Role.VIEWER)
MAX_KEY_LENGTH = 1024
MAX_EXTERNAL_ID_LENGTH = 255


@dataclass(frozen=True, slots=True)
class UserProfile:
    """A user of a directory. `is_active` and `role` are None where the directory says nothing about them.

    `email` is the address by which the user is joined to an account, None without a usable one. `resource` has every
    attribute that the directory sent.
    """

    user_name_key: str
    external_id: str | None
    email: str | None
    name: str
    is_active: bool | None
    role: Role | None
    resource: dict[str, Any]


@dataclass(frozen=True, slots=True)
class GroupProfile:
    """A group of a directory; `members` has the name that the directory shows, by id."""

    display_name: str
    display_name_key: str
    external_id: str | None
    resource: dict[str, Any]
    members: dict[str, str | None] = field(default_factory=dict)
