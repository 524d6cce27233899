"""Request and answer shapes that several routes of `/auth` share."""

from datetime import datetime
from typing import Annotated

from pydantic import Field, SecretStr

from api.control.accounts.accounts import MAX_EMAIL_LENGTH, AccountRecord
from api.control.accounts.passwords import MAX_LENGTH
from api.errors import FailedPrecondition
from api.query.records import shown
from api.services import Services
from api.shapes import Shape

Email = Annotated[
    str,
    Field(
        min_length=3,
        max_length=MAX_EMAIL_LENGTH,
        description="Compared without case.",
        examples=["ada@example.org"],
    ),
]
Password = Annotated[
    SecretStr,
    Field(
        max_length=MAX_LENGTH, description="See `/auth/checkPassword`.", examples=["correct Horse 9 battery"]
    ),
]
LinkToken = Annotated[
    SecretStr, Field(max_length=200, description="The part after the `#` of the mailed link. It works once.")
]


class SignedInAccount(Shape):
    """An account."""

    id: str
    email: str = Field(examples=["ada@example.org"])
    name: str = Field(examples=["Ada Lovelace"])
    is_verified: bool = Field(description="true: a mailed link or an identity provider verified the address.")
    is_platform_administrator: bool | None = Field(
        description="true: the account administers the whole installation. Null in a session of an organization's own "
        "identity provider."
    )
    created_at: datetime | None = Field(
        description="Null in a session of an organization's own identity provider."
    )


def refuse_without_passwords(app: Services) -> None:
    """Raise FailedPrecondition where the operator switched passwords off, whatever the address."""
    if not app.offers_passwords:
        raise FailedPrecondition(
            "this deployment takes no passwords; sign in with an identity provider (GET /auth/options)"
        )


def shown_account(record: AccountRecord, *, is_restricted: bool = False) -> dict[str, object]:
    """An account as JSON. A session that is restricted to an organization learns nothing beyond it."""
    hidden: dict[str, None] = {"is_platform_administrator": None, "created_at": None} if is_restricted else {}
    return shown(SignedInAccount, record, **hidden)
