"""PATCH of the members of a group in the forms that directories send, each in the time that its own values take.

The library compares every member with every value, which takes half a minute for hundreds of removals. Keep out: every
other operation, which the library applies.
"""

import re
from collections.abc import Mapping
from typing import Any

from scim2_models import Resource

MEMBERS = re.compile(r"(?:urn:ietf:params:scim:schemas:core:2\.0:group:)?members", re.IGNORECASE)
ONE_MEMBER = re.compile(rf'{MEMBERS.pattern}\[\s*value\s+eq\s+"([^"\\]*)"\s*\]', re.IGNORECASE)


class MemberPatches:
    """The members of a group, while operations are applied to them."""

    def __init__(self, group: Any) -> None:
        self._group = group
        self._model: type[Any] = type(group).get_field_root_type("members")
        self._members: dict[str, Any] = {}
        self.has_changed = False
        self.read()

    def read(self) -> None:
        """Take the members of the group as they are now."""
        self._members = {one.value: one for one in self._group.members or [] if one.value is not None}

    def write(self) -> None:
        """Put the members into the group."""
        self._group.members = list(self._members.values()) or None

    def apply(self, operation: Any) -> bool:
        """Apply an operation, if it adds or removes members by their ids. Returns whether it does."""
        path, op = str(operation.path or ""), str(operation.op)
        one = ONE_MEMBER.fullmatch(path)
        if op == "remove" and one is not None and operation.value is None:
            self._remove(one[1])
            return True
        entries = operation.value if isinstance(operation.value, list) else [operation.value]
        ids = [_id_of(entry) for entry in entries]
        if MEMBERS.fullmatch(path) is None or op not in ("add", "remove") or None in ids:
            return False
        for entry, member in zip(entries, ids, strict=True):
            assert member is not None
            if op == "remove":
                self._remove(member)
            elif member not in self._members:
                self._members[member] = self._model.model_validate(entry)
                self.has_changed = True
        return True

    def _remove(self, member: str) -> None:
        self.has_changed |= self._members.pop(member, None) is not None


def patch_group(group: Resource[Any], patch: Any) -> bool:
    """Apply a PATCH to a group. Returns whether it changes anything. Raises SCIMException, as the library does."""
    members, has_changed = MemberPatches(group), False
    for operation in patch.operations or ():
        if members.apply(operation):
            continue
        members.write()
        has_changed |= type(patch)(operations=[operation]).patch(group)
        members.read()
    members.write()
    return has_changed or members.has_changed


def _id_of(entry: Any) -> str | None:
    if not isinstance(entry, Mapping):
        return None
    value = next((value for name, value in entry.items() if name.lower() == "value"), None)
    return value if isinstance(value, str) and value else None
