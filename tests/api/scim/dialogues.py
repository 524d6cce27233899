"""Dialogues of directories with a service, replayed: requests as a directory sends them, and parts of the answers.

`{name}` in a path or body stands for a value that an earlier answer had. Keep out: the dialogues (test_entra.py,
test_okta.py).
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx
from sqlalchemy import select, update

from api.control.models import Account, DirectoryUser, Member, Team, TeamMembership
from api.control.store import ControlStore
from api.control.visibility import address_key
from tests.api.scim.directories import PATCH

ERROR = "urn:ietf:params:scim:api:messages:2.0:Error"
LIST = "urn:ietf:params:scim:api:messages:2.0:ListResponse"


@dataclass(frozen=True)
class Step:
    """A request with its expected answer.

    `has` are parts of the answer: a dictionary has at least these keys, a list exactly these items. `lacks` are
    attributes that the answer must not have. `keep` names values of the answer for later steps.
    """

    method: str
    path: str
    body: Any = None
    status: int = 200
    has: Any = field(default_factory=dict)
    lacks: tuple[str, ...] = ()
    keep: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)


def get(path: str, **more: Any) -> Step:
    return Step("GET", path, **more)


def post(path: str, body: Any, **more: Any) -> Step:
    return Step("POST", path, body, **({"status": 201} | more))


def put(path: str, body: Any, **more: Any) -> Step:
    return Step("PUT", path, body, **more)


def patch(path: str, *operations: Any, **more: Any) -> Step:
    return Step("PATCH", path, {"schemas": [PATCH], "Operations": list(operations)}, **more)


def delete(path: str, **more: Any) -> Step:
    return Step("DELETE", path, **({"status": 204} | more))


def missing(path: str) -> Step:
    return Step("GET", path, status=404, has={"schemas": [ERROR], "status": "404"})


def none_found(path: str, condition: str, **more: str) -> Step:
    return Step("GET", path, query={"filter": condition, **more}, has={"schemas": [LIST], "totalResults": 0})


def replay(client: httpx.Client, *steps: Step, **known: str) -> dict[str, str]:
    """Send the requests in order. Returns the kept values."""
    kept = dict(known)
    for number, step in enumerate(steps, 1):
        query = {name: filled(value, kept) for name, value in step.query.items()}
        path, body = filled(step.path, kept), filled(step.body, kept)
        answer = client.request(step.method, path, params=query or None, json=body)
        told = f"step {number}: {step.method} {path} {query or ''} {body or ''}: {answer.status_code} {answer.text}"
        assert answer.status_code == step.status, told
        if answer.status_code == 204:
            assert not answer.content, told
            continue
        assert answer.headers["content-type"].partition(";")[0] == "application/scim+json", told
        found = answer.json()
        problems = list(differences(filled(step.has, kept), found))
        assert not problems, f"{problems} in {told}"
        assert not [name for name in step.lacks if name in found], told
        kept |= {name: found[key] for name, key in step.keep.items()}
    return kept


def filled(value: Any, known: Mapping[str, str]) -> Any:
    """The value with the known values in place of their names."""
    if isinstance(value, str):
        for name, given in known.items():
            value = value.replace("{" + name + "}", given)
        return value
    if isinstance(value, list):
        return [filled(one, known) for one in value]
    if isinstance(value, dict):
        return {filled(key, known): filled(one, known) for key, one in value.items()}
    return value


def differences(expected: Any, found: Any, where: str = "answer") -> Iterator[str]:
    """What an answer lacks or has otherwise."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key, value in expected.items():
            if key in found:
                yield from differences(value, found[key], f"{where}.{key}")
            else:
                yield f"{where} has no {key}"
    elif isinstance(expected, list) and isinstance(found, list):
        if len(expected) != len(found):
            yield f"{where} has {len(found)} items instead of {len(expected)}"
        for number, (one, other) in enumerate(zip(expected, found, strict=False)):
            yield from differences(one, other, f"{where}[{number}]")
    elif expected != found:
        yield f"{where} is {found!r} instead of {expected!r}"


def members(store: ControlStore, organization_id: str) -> dict[str, str]:
    """The roles of the members that a directory provisioned, by address."""
    with store.session() as session:
        found = session.execute(
            select(Account.email_key, Member.role)
            .join(Member, Member.account_id == Account.id)
            .join(DirectoryUser, DirectoryUser.account_id == Account.id)
            .where(
                Member.organization_id == organization_id, DirectoryUser.organization_id == organization_id
            )
        )
        return {row.email_key: row.role for row in found}


def verify(store: ControlStore, *emails: str) -> None:
    """Let people confirm their addresses, so that each counts as that of a developer."""
    with store.session() as session:
        session.execute(update(Account).where(Account.email_key.in_(emails)).values(verified_at=store.now()))


def in_team(store: ControlStore, organization_id: str, team: str, email: str) -> bool:
    """Whether the developer of an address is in the team of this name, without an end."""
    with store.session() as session:
        found = session.scalars(
            select(TeamMembership.id)
            .join(Team, Team.id == TeamMembership.team_id)
            .where(
                Team.organization_id == organization_id,
                Team.name == team,
                TeamMembership.developer_id == address_key(organization_id, email),
                TeamMembership.end_on.is_(None),
            )
        ).all()
    return bool(found)
