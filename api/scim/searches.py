"""Conditions in SQL for filters and orders that an index serves. Every other filter reads all rows of the organization.

A condition never leaves out a match; the filter is evaluated on what it finds. Keep out: reading (storage.py).
"""

import re
from typing import Any

from scim2_models import Resource, SearchRequest
from scim2_models.path import CompareOperator, Comparison, FilterNode, LogicalExpr, ValuePath
from scim2_models.path.expressions import LogicalOperator
from sqlalchemy import ColumnElement, SQLColumnExpression, Text, and_, cast, or_, select

from api.control.models import DirectoryGroup, DirectoryGroupMember, DirectoryUser
from api.scim.descriptions import comparison_key
from api.scim.service import GROUP, USER

TABLES: dict[str, Any] = {USER: DirectoryUser, GROUP: DirectoryGroup}
KEYS: dict[str, dict[str, tuple[str, SQLColumnExpression[Any]]]] = {
    USER: {
        "id": ("id", DirectoryUser.id),
        "username": ("userName", DirectoryUser.user_name_key),
        "externalid": ("externalId", DirectoryUser.external_id),
    },
    GROUP: {
        "id": ("id", DirectoryGroup.id),
        "displayname": ("displayName", DirectoryGroup.display_name_key),
        "externalid": ("externalId", DirectoryGroup.external_id),
    },
}
# Without a name of its own in SQL: `meta.created` sorts as the ids do.
ORDERS: dict[str, SQLColumnExpression[Any]] = {"username": DirectoryUser.user_name_key}
# Not in what the directory sent, or not a text there.
MADE = frozenset({"id", "meta", "groups", "members", "active", "schemas"})
# Texts that JSON writes as they are. (Not found are signs that become ASCII in lower case, such as that of the kelvin.)
PLAIN = re.compile(r"[A-Za-z0-9@._+-]+")
MEMBERS = ("members", "members.value")


def condition(kind: str, model: type[Resource[Any]], node: FilterNode) -> ColumnElement[bool] | None:
    """A condition that every match meets, on indexed columns alone; None where there is none."""
    match node:
        case Comparison(op=CompareOperator.eq, value=str(value)):
            known = _equal(kind, model, str(node.attr_path).lower(), value)
            return known if known is not None else _written(kind, node.attr_path.attr, value)
        case Comparison(op=CompareOperator.co | CompareOperator.sw | CompareOperator.ew, value=str(value)):
            return _written(kind, node.attr_path.attr, value)
        case ValuePath() if kind == GROUP and str(node.attr_path).lower() == "members":
            return _selected(node.val_filter)
        case ValuePath() if node.attr_path.attr.lower() not in MADE:
            return condition(kind, model, node.val_filter)
        case LogicalExpr(op=LogicalOperator.and_):
            met = [one for term in node.terms if (one := condition(kind, model, term)) is not None]
            return and_(*met) if met else None
        case LogicalExpr():
            every = [condition(kind, model, term) for term in node.terms]
            alternatives = [one for one in every if one is not None]
            return or_(*alternatives) if len(alternatives) == len(every) else None
        case _:
            return None


def order(kind: str, request: SearchRequest[Any]) -> tuple[ColumnElement[Any], ...] | None:
    """The order of a search in SQL; None where SQL has none."""
    table = TABLES[kind]
    if request.sort_by is None:
        return (table.id.asc(),)
    column = ORDERS.get(str(request.sort_by).lower()) if kind == USER else None
    if column is None:
        return None
    if request.sort_order == SearchRequest.SortOrder.descending:
        return column.desc(), table.id.desc()
    return column.asc(), table.id.asc()


def _equal(kind: str, model: type[Resource[Any]], path: str, value: str) -> ColumnElement[bool] | None:
    # A URN before the name says the same attribute.
    name = path.rpartition(":")[2]
    if kind == GROUP and name in MEMBERS:
        return _with_member(value)
    if name not in KEYS[kind] or ("enterprise" in path):
        return None
    attribute, column = KEYS[kind][name]
    return column == (value if attribute == "id" else comparison_key(model, attribute, value))


def _written(kind: str, attribute: str, value: str) -> ColumnElement[bool] | None:
    """Rows whose description has the text somewhere. Only for texts that JSON writes as they are."""
    if attribute.lower() in MADE or not PLAIN.fullmatch(value):
        return None
    return cast(TABLES[kind].resource, Text).icontains(value, autoescape=True)


def _selected(node: FilterNode) -> ColumnElement[bool] | None:
    match node:
        case Comparison(op=CompareOperator.eq, value=str(value)) if str(node.attr_path).lower() == "value":
            return _with_member(value)
        case _:
            return None


def _with_member(member: str) -> ColumnElement[bool]:
    groups = select(DirectoryGroupMember.group_id).where(DirectoryGroupMember.member_id == member)
    return DirectoryGroup.id.in_(groups)
