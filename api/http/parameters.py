"""Query parameters of requests: none, the mask of an update, names in either case, and the refusal of repeated ones."""

from functools import cache
from typing import Annotated, Generic, TypeVar, get_origin
from urllib.parse import parse_qsl, urlencode

from fastapi import Query as FromQuery
from fastapi import Request
from pydantic import BaseModel, Field, field_validator
from starlette.types import ASGIApp, Receive, Scope, Send

from api.errors import InvalidArgument
from api.query.columns import camel
from api.query.parameters import ControlQuery, Query

Body = TypeVar("Body", bound=BaseModel)
Parameters = TypeVar("Parameters", bound=BaseModel)


class NoParameters(Query):
    """No parameters."""


# The parameters of a request, declared by a model.
Queried = Annotated[Parameters, FromQuery()]
NoQuery = Annotated[NoParameters, FromQuery()]
PagedQuery = Annotated[ControlQuery, FromQuery()]
"""The parameters of a list that selects nothing."""


class Mask(Query, Generic[Body]):
    """Parameters of a partial update: the fields of the body to change; without a mask, the sent ones."""

    update_mask: Annotated[str, Field(max_length=500)] = ""

    @classmethod
    def __pydantic_init_subclass__(cls, **_: object) -> None:
        """Document the fields of the mask."""
        names = list(cls._names())
        mask = cls.model_fields["update_mask"]
        mask.description = (
            f"Fields to change, separated by commas: {', '.join(names)}. Default: the fields in the body."
        )
        mask.examples = names[:1]
        cls.model_rebuild(force=True)

    @classmethod
    def _names(cls) -> dict[str, str]:
        """The fields of the body by their names over HTTP."""
        (body,) = cls.__pydantic_generic_metadata__["args"]
        return {field.alias or name: name for name, field in body.model_fields.items()}

    @field_validator("update_mask")
    @classmethod
    def _known(cls, value: str) -> str:
        names = cls._names()
        unknown = [name for name in value.split(",") if name and name not in names]
        if unknown:
            raise ValueError(f"there is no field {unknown[0]!r} to update; choose from {', '.join(names)}")
        return value

    def chosen(self, body: Body) -> set[str]:
        """Names of the fields of the body that the mask lets through: those of the mask, or those sent."""
        names = self._names()
        return {names[one] for one in self.update_mask.split(",") if one} or body.model_fields_set


def refuse_repetition(request: Request) -> None:
    """Raises InvalidArgument for a parameter that is given twice and has one value on this route.

    The framework would silently take the last.
    """
    seen: set[str] = set()
    for name, _ in request.query_params.multi_items():
        if name in seen and name not in _repeatable(request):
            raise InvalidArgument(
                name, "given more than once (camelCase and snake_case are the same name); give it once"
            )
        seen.add(name)


def _repeatable(request: Request) -> frozenset[str]:
    """Parameters of the route that may be repeated; any of the values matches."""
    declared = request.scope["route"].dependant.query_params
    return frozenset().union(*(_lists(each.field_info.annotation) for each in declared))


@cache
def _lists(model: type[BaseModel]) -> frozenset[str]:
    fields = model.model_fields.items()
    return frozenset(field.alias or name for name, field in fields if get_origin(field.annotation) is list)


class CamelCaseQuery:
    """ASGI middleware that renames snake_case query parameters before anything looks at them."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and b"_" in scope["query_string"]:
            # Latin-1 keeps every byte, so the validation still sees and refuses wrong percent-encoding.
            pairs = parse_qsl(
                scope["query_string"].decode("latin-1"), keep_blank_values=True, encoding="latin-1"
            )
            renamed = [(camel(name), value) for name, value in pairs]
            scope = {**scope, "query_string": urlencode(renamed, encoding="latin-1").encode()}
        await self._app(scope, receive, send)
