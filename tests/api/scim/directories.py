"""A directory over HTTP: the official client with a SCIM token, and what it sends as Entra and Okta do."""

from typing import Any, cast

import httpx
from scim2_client.client import BaseSyncSCIMClient, RawResponse
from sqlalchemy import select

from api.control.models import Account, AuditEntry, Member
from api.control.permissions import Role
from api.control.scim.scim_tokens import create_scim_token
from api.control.store import ControlStore
from tests.api.people import join

ENTERPRISE = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"
PATCH = "urn:ietf:params:scim:api:messages:2.0:PatchOp"


class OfficialClient(BaseSyncSCIMClient):
    """The official client over HTTPX."""

    def __init__(self, client: httpx.Client, **options: Any) -> None:
        super().__init__(**options)
        self.client = client

    def _stays_under_base_url(self, endpoint: str) -> bool:
        return not endpoint.startswith("http") or endpoint.startswith(str(self.client.base_url))

    def _parse_json(self, response: RawResponse) -> Any:
        return cast(httpx.Response, response).json()

    def request(self, method: str, url: str, **sent: Any) -> httpx.Response:
        """Send a request."""
        return self.client.request(method, url, **sent)


def token_for(store: ControlStore, organization_id: str, name: str = "Entra") -> str:
    """The key of a new SCIM token."""
    return create_scim_token(store, organization_id, name).key


def directory_client(address: str, token: str) -> httpx.Client:
    """A client of `/scim/v2` with a token."""
    return httpx.Client(
        base_url=f"{address}/scim/v2",
        headers={"Authorization": f"Bearer {token}", "Content-Type": "application/scim+json"},
        timeout=60,
    )


def user(name: str, **attributes: Any) -> dict[str, Any]:
    """A user with a work mail of the same address."""
    mails = [{"value": name, "type": "work", "primary": True}]
    return {
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"],
        "userName": name,
        "emails": mails,
    } | attributes


def created(client: httpx.Client, resource: dict[str, Any], where: str = "Users") -> dict[str, Any]:
    """A new resource."""
    answer = client.post(f"/{where}", json=resource)
    assert answer.status_code == 201, answer.text
    return cast(dict[str, Any], answer.json())


def patched(client: httpx.Client, path: str, *operations: dict[str, Any]) -> httpx.Response:
    """The answer to a PATCH with these operations."""
    return client.patch(path, json={"schemas": [PATCH], "Operations": list(operations)})


def role_of(store: ControlStore, organization_id: str, email: str) -> Role | None:
    """The role of the member with an address; None for no member."""
    with store.session() as session:
        found = session.scalar(
            select(Member.role)
            .join(Account, Account.id == Member.account_id)
            .where(Member.organization_id == organization_id, Account.email_key == email.lower())
        )
    return Role(found) if found else None


def entries(store: ControlStore, organization_id: str) -> list[AuditEntry]:
    """The audit log of an organization, oldest first."""
    with store.session() as session:
        return list(
            session.scalars(
                select(AuditEntry)
                .where(AuditEntry.organization_id == organization_id)
                .order_by(AuditEntry.id)
            )
        )


def with_owner(store: ControlStore, organization_id: str) -> str:
    """The id of a new owner's account."""
    return join(store, organization_id, Role.OWNER)
