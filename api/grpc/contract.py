"""The methods of gRPC, as the compiled protos describe them: which request of REST each one is.

Keep out: how a message becomes a request (translation.py).
"""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from google.api import annotations_pb2
from google.protobuf import descriptor_pool, struct_pb2
from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor, ServiceDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from api.grpc.declaration import PACKAGE, SERVICE

COMPILED = "service.binpb"
FREE = {one.DESCRIPTOR.full_name for one in (struct_pb2.Struct, struct_pb2.ListValue)}
"""Messages whose JSON is any object or any array."""


@dataclass(frozen=True, slots=True)
class Place:
    """A field of a message, for one name of its JSON. `shape` is that of a message of the service."""

    name: str
    is_repeated: bool
    free: type[Message] | None
    shape: "Shape | None"


@dataclass(frozen=True, slots=True)
class Shape:
    """The fields of a message by their names in JSON. It is filled after it is made: messages refer to themselves."""

    places: dict[str, Place]


@dataclass(frozen=True, slots=True)
class Method:
    """A method: the verb and the path of REST, its messages, and the shape of its answer.

    `variables` are the fields that stand in the path.
    """

    name: str
    verb: str
    path: str
    variables: frozenset[str]
    request: type[Message]
    answer: type[Message]
    shape: Shape


def compiled() -> FileDescriptorProto:
    """The compiled file. Raises FileNotFoundError before the first writing."""
    content = files("api.grpc").joinpath(COMPILED).read_bytes()
    # Beside it are the files that it imports, and the details of errors: a proxy reads nothing else.
    file: FileDescriptorProto
    [file] = (one for one in FileDescriptorSet.FromString(content).file if one.package == PACKAGE)
    return file


@cache
def service() -> ServiceDescriptor:
    """The service, in the pool that reflection reads. The protos that ours import are in it with their modules."""
    pool = descriptor_pool.Default()
    # The options of methods are read with the extension that this module registers.
    assert annotations_pb2.http
    pool.AddSerializedFile(compiled().SerializeToString())
    return pool.FindServiceByName(f"{PACKAGE}.{SERVICE}")


@cache
def methods() -> dict[str, Method]:
    """The methods by the path that gRPC calls them with: `/eas.v1.EngineeringAnalyticsService/ListTeams`."""
    found = service()
    return {f"/{found.full_name}/{one.name}": _method(one) for one in found.methods}


def _method(described: MethodDescriptor) -> Method:
    rule = described.GetOptions().Extensions[annotations_pb2.http]
    verb = str(rule.WhichOneof("pattern"))
    path = str(getattr(rule, verb))
    return Method(
        described.name,
        verb,
        path,
        frozenset(re.findall(r"{(\w+)}", path)),
        GetMessageClass(described.input_type),
        GetMessageClass(described.output_type),
        _shape(described.output_type),
    )


_SHAPES: dict[str, Shape] = {}


def _shape(described: Descriptor) -> Shape:
    """The shape of a message, made once."""
    known = _SHAPES.get(described.full_name)
    if known is None:
        known = _SHAPES[described.full_name] = Shape({})
        known.places.update((one.json_name, _place(one)) for one in described.fields)
    return known


def _place(one: FieldDescriptor) -> Place:
    kind = one.message_type
    free = GetMessageClass(kind) if kind is not None and kind.full_name in FREE else None
    shape = _shape(kind) if kind is not None and free is None else None
    return Place(one.name, one.is_repeated, free, shape)
