"""Page parameters and page tokens. A token is opaque and signed to its query and its build."""

import base64
import hashlib
import hmac
from typing import Annotated, Any

import orjson
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from api.errors import InvalidArgument
from api.query.pages import Position

DEFAULT_SIZE = 50
MAX_PAGE_SIZE = 1000
MAX_TOKEN_LENGTH = 4096
_SIGNATURE = 16


class Query(BaseModel):
    """Base of every set of query parameters: camelCase names, unknown ones refused."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=False, extra="forbid", frozen=True)


PageSize = Annotated[
    int,
    Field(
        ge=0,
        le=2**31 - 1,
        description=f"Items per page. 0 means {DEFAULT_SIZE}; values above {MAX_PAGE_SIZE} mean {MAX_PAGE_SIZE}.",
        examples=[50],
    ),
]
PageToken = Annotated[
    str,
    Field(
        max_length=MAX_TOKEN_LENGTH,
        description="`nextPageToken` of the previous page. All other parameters must stay the same. A"
        " token works until 30 minutes after its build was replaced.",
    ),
]


class PageQuery(Query):
    """Parameters of every list."""

    page_size: PageSize = DEFAULT_SIZE
    page_token: PageToken = ""

    @property
    def limit(self) -> int:
        """Items on this page."""
        return min(self.page_size or DEFAULT_SIZE, MAX_PAGE_SIZE)

    def digest(self, resource: str, scope_key: str) -> bytes:
        """A digest of everything that decides the rows and their order. A page token is bound to it."""
        asked = self.model_dump(mode="json", exclude={"page_size", "page_token"})
        canonical = orjson.dumps([resource, scope_key, asked], option=orjson.OPT_SORT_KEYS)
        return hashlib.blake2b(canonical, digest_size=16).digest()


# Stands for the build where a list is read from the control database, which has none.
NO_BUILD = ""


class PageTokens:
    """Makes and reads page tokens with the deployment's key."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def make(self, digest: bytes, position: Position) -> str:
        """The token that continues this query after this position."""
        payload = orjson.dumps([position.build_id, position.values])
        return base64.urlsafe_b64encode(self._sign(digest, payload) + payload).decode().rstrip("=")

    def next(self, digest: bytes, build_id: str, values: list[Any] | None) -> str:
        """The token of the page after these values of a build; empty for the last page."""
        return "" if values is None else self.make(digest, Position(build_id, values))

    def read(self, digest: bytes, token: str) -> Position:
        """The position of a token. Raises InvalidArgument when it is not one, or belongs to another query."""
        try:
            raw = base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True)
        except ValueError:
            raw = b""
        signature, payload = raw[:_SIGNATURE], raw[_SIGNATURE:]
        if not hmac.compare_digest(signature, self._sign(digest, payload)):
            raise InvalidArgument(
                "pageToken",
                "this token belongs to another query; send nextPageToken unchanged and keep all other parameters",
            )
        build_id, values = orjson.loads(payload)
        return Position(build_id, values)

    def after(self, digest: bytes, token: str) -> tuple[Any, ...] | None:
        """The sort values that a list of the control database continues after. Raises as `read`."""
        return tuple(self.read(digest, token).values) if token else None

    def _sign(self, digest: bytes, payload: bytes) -> bytes:
        return hmac.digest(self._key, digest + payload, "sha256")[:_SIGNATURE]
