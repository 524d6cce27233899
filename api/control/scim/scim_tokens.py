"""SCIM tokens: `scim_…` secrets with which a directory provisions members, shown once and stored as a hash.

A token belongs to its organization and outlasts the membership of its creator: a directory that removes the
administrator who connected it goes on. Keep out: HTTP (api/v1, api/scim), what a directory changes.
"""

from datetime import datetime

from sqlalchemy import select

from api.control.accounts.verified_addresses import refuse_leaving_behind
from api.control.issued_tokens import (
    SCIM_TOKENS,
    IssuedRecord,
    NewToken,
    TokenRequest,
    issue,
    page_of,
    revoke,
    token_of,
)
from api.control.list_pages import ListPage, ListQuery
from api.control.models import Organization, ScimToken
from api.control.permissions import Permission
from api.control.principals import OPERATOR, Directory, Principal
from api.control.records import copied
from api.control.rights import refuse_lasting
from api.control.store import ControlStore


def create_scim_token(
    store: ControlStore,
    organization: str,
    name: str,
    *,
    expires_at: datetime | None = None,
    actor: Principal = OPERATOR,
) -> NewToken[IssuedRecord]:
    """Create a token for an organization (id or slug). Only the answer contains the key.

    Raises InvalidSetting for a malformed name or expiry, NotFound for an unknown organization, NotAllowed, and
    NotPossible for an account with an unverified address.
    """
    asked = TokenRequest.of(name, expires_at, store.now())
    owner = store.organization(organization)
    with store.allowed_write(actor, owner.id, Permission.MANAGE_SCIM_TOKENS) as session:
        refuse_lasting(actor, "create SCIM tokens")
        refuse_leaving_behind(session, actor, "create SCIM tokens", within=owner.id)
        return issue(session, SCIM_TOKENS, owner.id, actor, asked)


def page_of_scim_tokens(
    store: ControlStore, organization_id: str, asked: ListQuery
) -> ListPage[tuple[IssuedRecord, str | None]]:
    """A page of an organization's tokens with the addresses of their creators, revoked tokens included."""
    return page_of(store, SCIM_TOKENS, organization_id, asked)


def revoke_scim_token(
    store: ControlStore, organization: str, token_id: str, *, actor: Principal = OPERATOR
) -> IssuedRecord:
    """Revoke a token; a second call changes nothing. What its directory changed stays. Raises NotFound, NotAllowed."""
    owner = store.organization(organization)
    with store.allowed_write(actor, owner.id, Permission.MANAGE_SCIM_TOKENS) as session:
        return revoke(
            session, store.now(), SCIM_TOKENS, actor, token_of(session, SCIM_TOKENS, owner, token_id)
        )


def find_directory(store: ControlStore, digest: bytes) -> tuple[IssuedRecord, bytes, Principal] | None:
    """The token of a key's hash, with the stored hash and its directory as principal, or None. One indexed query."""
    with store.session() as session:
        found = session.execute(
            select(ScimToken, Organization.slug)
            .join(Organization, Organization.id == ScimToken.organization_id)
            .where(ScimToken.key_hash == digest)
        ).one_or_none()
        if found is None:
            return None
        row, slug = found
        directory = Directory(row.organization_id, slug, row.id, row.name)
        principal = Principal(may_write=True, active_organization_id=row.organization_id, directory=directory)
        return copied(IssuedRecord, row), row.key_hash, principal
