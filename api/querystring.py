"""Query parameters in either case (`page_size` is read as `pageSize`), and each but a few at most once."""

from collections.abc import Iterable
from urllib.parse import parse_qsl, urlencode

from starlette.types import ASGIApp, Receive, Scope, Send

from api.errors import InvalidArgument
from api.read.columns import camel

# Several of these mean any of them. Of all others the framework would silently take the last.
REPEATABLE = {"category", "developer", "id", "repository", "team"}


def refuse_repetition(parameters: Iterable[tuple[str, str]]) -> None:
    """Raises InvalidArgument for a parameter that is given twice and has one value."""
    seen: set[str] = set()
    for name, _ in parameters:
        if name in seen and name not in REPEATABLE:
            raise InvalidArgument(
                name, "given more than once, as camelCase and snake_case are the same; give it once"
            )
        seen.add(name)


class CamelCaseQuery:
    """ASGI middleware that renames snake_case query parameters before anything looks at them."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and b"_" in scope["query_string"]:
            # Latin-1 keeps every byte, so what was percent-encoded wrongly stays wrong for the validation to refuse.
            pairs = parse_qsl(
                scope["query_string"].decode("latin-1"), keep_blank_values=True, encoding="latin-1"
            )
            renamed = [(camel(name), value) for name, value in pairs]
            scope = {**scope, "query_string": urlencode(renamed, encoding="latin-1").encode()}
        await self._app(scope, receive, send)
