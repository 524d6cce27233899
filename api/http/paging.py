"""Page tokens. A token is opaque and signed to its query and its build."""

import base64
import hmac
from typing import Any

import orjson

from api.errors import InvalidArgument
from api.query.pages import Position

_SIGNATURE = 16


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

    def position(self, digest: bytes, token: str) -> Position | None:
        """The position of a token, None for the first page. Raises as `read`."""
        return self.read(digest, token) if token else None

    def after(self, digest: bytes, token: str) -> tuple[Any, ...] | None:
        """The sort values that a list of the control database continues after. Raises as `read`."""
        return tuple(self.read(digest, token).values) if token else None

    def _sign(self, digest: bytes, payload: bytes) -> bytes:
        return hmac.digest(self._key, digest + payload, "sha256")[:_SIGNATURE]
