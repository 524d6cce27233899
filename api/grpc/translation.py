"""A message as a request of REST, and an answer of REST as a message.

What is unset in a message is absent in the request; null in an answer is unset in its message.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message

from api.errors import InvalidArgument
from api.grpc.contract import Method, Place, Shape

BODY = "body"
MASK = "update_mask"


def address_of(method: Method, request: Message) -> str:
    """The path of the request, with its variables. Raises InvalidArgument for a missing one."""
    path = method.path
    for field in request.DESCRIPTOR.fields:
        if field.name in method.variables:
            text = str(getattr(request, field.name)) if request.HasField(field.name) else ""
            if not text:
                raise InvalidArgument(field.json_name, "is missing; it names what the method is about")
            path = path.replace(f"{{{field.name}}}", quote(text, safe=""))
    return path


def query_of(method: Method, request: Message) -> list[tuple[str, str]]:
    """The parameters of the query: every set field that is in neither the path nor the body."""
    return [
        (field.json_name, _text(value))
        for field, set_value in request.ListFields()
        if field.name not in method.variables and field.name != BODY
        for value in (set_value if field.is_repeated else [set_value])
    ]


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def body_of(method: Method, request: Message) -> dict[str, Any] | None:
    """The body as JSON, none where the method has none.

    A field that the mask names and the body leaves unset becomes null, or the empty list. Without a mask a change has
    the set fields alone; everything else has its empty lists too.
    """
    if BODY not in request.DESCRIPTOR.fields_by_name:
        return None
    message = getattr(request, BODY)
    is_change = method.verb == "patch"
    body = _whole(MessageToDict(message, always_print_fields_with_no_presence=not is_change))
    mask = getattr(request, MASK, "")
    by_json_name = {one.json_name: one for one in message.DESCRIPTOR.fields}
    for name in filter(None, mask.split(",")):
        if name in by_json_name and name not in body:
            body[name] = [] if by_json_name[name].is_repeated else None
    return dict(body)


def _whole(value: Any) -> Any:
    """The same JSON with whole numbers for whole doubles: some of REST's integers pass the range of int32."""
    match value:
        case float() if value.is_integer():
            return int(value)
        case dict():
            return {key: _whole(one) for key, one in value.items()}
        case list():
            return [_whole(one) for one in value]
    return value


def answer_of(method: Method, content: Mapping[str, Any]) -> Message:
    """The message of an answer."""
    return method.answer(**_filled(method.shape, content))


def _filled(shape: Shape, content: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a message. Its class takes them far faster than the parser of JSON in Python."""
    places = shape.places
    return {
        places[name].name: _value(places[name], value)
        for name, value in content.items()
        if value is not None and name in places
    }


def _value(place: Place, value: Any) -> Any:
    if place.is_repeated:
        return [_one(place, one) for one in value]
    return _one(place, value)


def _one(place: Place, value: Any) -> Any:
    if place.free is not None:
        made: Any = place.free()
        made.update(value) if isinstance(value, Mapping) else made.extend(value)
        return made
    return value if place.shape is None else _filled(place.shape, value)
