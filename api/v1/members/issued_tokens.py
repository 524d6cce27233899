"""What lists and creations of API keys, ingest tokens and SCIM tokens share over HTTP.

Keep out: paths and permissions (tokens.py, ingest_tokens.py, scim_tokens.py).
"""

from datetime import datetime
from typing import Any, Literal

from pydantic import Field
from starlette.responses import Response

from api.control.issued_tokens import MAX_NAME_LENGTH, IssuedRecord, NewToken, Record
from api.control.principals import Principal
from api.http.responses import private
from api.http.values import Instant
from api.query.records import shown
from api.shapes import Shape


class IssuedToken(Shape):
    """A token without its secret."""

    id: str
    name: str = Field(examples=["ci"])
    state: Literal["ACTIVE", "EXPIRING_SOON", "EXPIRED", "REVOKED"] = Field(
        description="EXPIRING_SOON: within seven days."
    )
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None = Field(description="The last use, accurate to the minute.")
    revoked_at: datetime | None


class UnownedToken(IssuedToken):
    """A token that works on without its creator."""

    created_by: str | None = Field(
        description="Email address of the creator. Null: the operator created it, or the account is gone.",
        examples=["ada@example.org"],
    )


class IssueRequest(Shape):
    """A new token."""

    name: str = Field(
        max_length=MAX_NAME_LENGTH, description=f"1 to {MAX_NAME_LENGTH} characters.", examples=["ci"]
    )
    expires_at: Instant | None = Field(
        None, description="An instant in the future. Default: it does not expire."
    )


def show_token(
    shape: type[IssuedToken], one: tuple[IssuedRecord, str | None], now: datetime
) -> dict[str, Any]:
    """A token in its shape, with the address of its creator."""
    token, email = one
    return shown(shape, token, created_by=email, state=token.state(now))


def shown_once(
    shape: type[IssuedToken], made: NewToken[Record], creator: Principal, now: datetime
) -> Response:
    """The answer to a creation, the only one with the key."""
    return private(show_token(shape, (made.token, creator.email), now) | {"key": made.key})
