"""Attributes that people enter for a developer: display name, role, and joining and leaving dates.

They are stored under the id that the developer had at that time. After merges the analysis finds the developer they
belong to (dbt, int_identity__attributes). Keep out: merges and splits (identities.py), teams (teams/memberships.py).
"""

import unicodedata
from collections.abc import Mapping
from datetime import date
from enum import StrEnum
from itertools import pairwise
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy.orm import Session

from api.control.audit import Target, record
from api.control.errors import InvalidSetting
from api.control.identities.dependencies import refuse_vanished
from api.control.identities.known_developers import KnownDeveloper
from api.control.models import DeveloperAttribute
from api.control.names import checked_name
from api.control.permissions import Permission
from api.control.principals import Principal
from api.control.records import owned
from api.control.store import ControlStore

MAX_TEXT_LENGTH = 100
MAX_NAME_LENGTH = 255
MAX_URL_LENGTH = 2048
LEVELS = ("JUNIOR", "MEDIOR", "SENIOR")
KINDS = ("human", "bot")
DATES = ("joining_date", "probation_end_date", "leaving_date")
"""In the order in which they must be."""

Value = str | date | None


class Attribute(StrEnum):
    """The attributes."""

    NAME = "name"
    PRIMARY_EMAIL = "primary_email"
    ROLE = "role"
    SENIORITY = "seniority"
    JOINING_DATE = "joining_date"
    PROBATION_END_DATE = "probation_end_date"
    LEAVING_DATE = "leaving_date"
    AVATAR_URL = "avatar_url"
    KIND = "kind"

    @property
    def shown(self) -> str:
        """The name of the attribute over HTTP."""
        head, *rest = self.value.split("_")
        return head + "".join(part.capitalize() for part in rest)


def attributes(store: ControlStore, organization_id: str, developer_id: str) -> dict[Attribute, Value]:
    """All attributes of a developer; None for an unset or cleared one."""
    with store.session() as session:
        return _values(_rows(session, organization_id, developer_id))


def change_attributes(
    store: ControlStore,
    actor: Principal,
    organization_id: str,
    developer: KnownDeveloper,
    changes: Mapping[Attribute, Value],
    *,
    dates: Mapping[str, date | None],
) -> dict[Attribute, Value]:
    """Change attributes of a developer; None clears one. All changes are made or none; returns the attributes in
    force.

    `dates` are the three dates in figures: a merged developer can have them from another id, and the three are
    checked together. Raises InvalidSetting, NotFound for a developer of an undone split.
    """
    with store.allowed_write(actor, organization_id, Permission.MANAGE_IDENTITIES) as session:
        refuse_vanished(session, organization_id, [developer.id])
        rows = _rows(session, organization_id, developer.id)
        before = _values(rows)
        changed = {
            name: value if value == before[name] else _checked(developer, name, value)
            for name, value in changes.items()
        }
        if changed.keys() & set(DATES) and not rows.keys() & set(DATES):
            changed = {**{Attribute(name): day for name, day in dates.items()}, **changed}
        after = before | changed
        _refuse_disorder(after)
        put = {
            name
            for name, value in changed.items()
            if _put(session, organization_id, developer, rows, name, value)
        }
        # A cleared value also overrides the value of another id of the developer.
        told = {name for name in put if after[name] != before[name]} or put
        if told:
            target = Target("developer", developer.id, developer.name[:MAX_NAME_LENGTH])
            states = ({name.shown: _text(one[name]) for name in sorted(told)} for one in (before, after))
            record(session, "developers.update", target, *states, restates=True)
        return after


def _put(
    session: Session,
    organization_id: str,
    developer: KnownDeveloper,
    rows: Mapping[str, DeveloperAttribute],
    name: Attribute,
    value: Value,
) -> bool:
    """Store a value. Returns whether it differs from the stored one."""
    row = rows.get(name)
    # A developer with one id needs no row for a cleared value. With several ids another one may have a value.
    if value is None and len(developer.known_ids) < 2:
        if row is not None:
            session.delete(row)
        return row is not None
    text = _text(value)
    if row is None:
        session.add(
            DeveloperAttribute(
                organization_id=organization_id, developer_id=developer.id, attribute=name.value, value=text
            )
        )
        return True
    is_new, row.value = row.value != text, text
    return is_new


def _rows(session: Session, organization_id: str, developer_id: str) -> dict[str, DeveloperAttribute]:
    found = session.scalars(
        owned(
            DeveloperAttribute,
            organization_id,
            DeveloperAttribute.developer_id == developer_id,
        )
    )
    return {row.attribute: row for row in found}


def _values(rows: Mapping[str, DeveloperAttribute]) -> dict[Attribute, Value]:
    texts = {name: rows[name].value if name in rows else None for name in Attribute}
    return {
        name: date.fromisoformat(value) if name in DATES and value else value for name, value in texts.items()
    }


def _text(value: Value) -> str | None:
    return value.isoformat() if isinstance(value, date) else value


def _refuse_disorder(values: Mapping[Attribute, Any]) -> None:
    told = [(Attribute(name).shown, values[Attribute(name)]) for name in DATES if values[Attribute(name)]]
    for (earlier, first), (later, second) in pairwise(told):
        if second < first:
            raise InvalidSetting(
                later, f"{second} is before {earlier} ({first}); use that day or a later one"
            )


def _checked(developer: KnownDeveloper, name: Attribute, value: Value) -> Value:
    if value is None or isinstance(value, date):
        return value
    match name:
        case Attribute.NAME:
            return checked_name(value, "name", max_length=MAX_NAME_LENGTH)
        case Attribute.ROLE:
            return checked_name(value, "role", max_length=MAX_TEXT_LENGTH)
        case Attribute.SENIORITY:
            level = checked_name(value, "seniority", max_length=MAX_TEXT_LENGTH)
            return level.upper() if level.upper() in LEVELS else level
        case Attribute.PRIMARY_EMAIL:
            return _own_address(developer, value)
        case Attribute.AVATAR_URL:
            return _checked_url(value)
        case Attribute.KIND:
            if value not in KINDS:
                raise InvalidSetting("kind", f"use one of {', '.join(KINDS)}")
    return value


def _own_address(developer: KnownDeveloper, value: str) -> str:
    wanted = value.strip().lower()
    own = {address.email.lower() for address in developer.addresses}
    if wanted not in own or not wanted:
        raise InvalidSetting(
            "primaryEmail",
            f"{developer.name!r} has no address {value!r}; use one of {', '.join(sorted(own))}",
        )
    return wanted


def _checked_url(value: str) -> str:
    if len(value) > MAX_URL_LENGTH:
        raise InvalidSetting("avatarUrl", f"use at most {MAX_URL_LENGTH} characters")
    if any(unicodedata.category(character)[0] in "CZ" for character in value):
        raise InvalidSetting("avatarUrl", "white space and control characters are not allowed; remove them")
    try:
        parts = urlsplit(value)
        has_host = bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        has_host = False
    if not has_host or parts.scheme != "https":
        raise InvalidSetting("avatarUrl", "use an address that begins with https:// and names a host")
    if parts.username is not None or parts.password is not None:
        raise InvalidSetting("avatarUrl", "the address contains credentials; use one without")
    return value
