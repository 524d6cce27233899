"""The protos of gRPC, written from the OpenAPI document: one method for each operation, one message for each schema.

A field has the number that it was first given, since clients keep their compiled protos: numbers are read from the
descriptors that the last writing left, and numbers of removed fields stay reserved. Keep out: the compiler
(`python -m tests.api.grpc.written`).
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from google.protobuf.descriptor_pb2 import DescriptorProto, FileDescriptorProto

PACKAGE = "eas.v1"
SERVICE = "EngineeringAnalyticsService"
METHODS = ("get", "post", "put", "patch", "delete")
JSON = "application/json"
# The health of the server has its own gRPC service; OTLP has its own gRPC service at collectors; events of a payment
# service and the form of an operator's login are signed by their senders.
WITHOUT_METHOD = ("/healthz", "/readyz", "/otlp/", "/billing/", "/impersonate")
ANYTHING = "google.protobuf.Struct"
LIST = "google.protobuf.ListValue"
# Sums that pass the 2^31 of int32. An int64 would be a text in JSON, where REST has a number.
LARGE = re.compile(r"(micros|tokens?|lines|bytes|requests|rows|objects)$", re.IGNORECASE)
LARGE_WORDS = ("lines", "Lines", "tokens", "Tokens")
HEADER = """// Written by `python -m tests.api.grpc.written` from the OpenAPI document. Changes here are lost.
syntax = "proto3";

package eas.v1;

import "google/api/annotations.proto";
import "google/protobuf/struct.proto";
"""


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a message, with its name in JSON."""

    json_name: str
    kind: str
    is_repeated: bool
    text: str

    @property
    def name(self) -> str:
        """The name in a proto: `pageSize` is `page_size`."""
        return re.sub(r"(?<!^)(?=[A-Z])", "_", self.json_name).lower()


@dataclass(frozen=True, slots=True)
class Message:
    """A message with its fields in the order of the document."""

    name: str
    text: str
    fields: tuple[Field, ...]


@dataclass(slots=True)
class Numbers:
    """The numbers of the fields of one message: those of the last writing, and new ones above them."""

    known: dict[str, int]
    reserved: set[int] = field(default_factory=set)

    def of(self, name: str) -> int:
        """The number of a field, which stays with its name."""
        if name not in self.known:
            self.known[name] = max([0, *self.known.values(), *self.reserved]) + 1
        return self.known[name]


def written(document: Mapping[str, Any], last: FileDescriptorProto | None) -> str:
    """The text of the proto file. `last` is the file as it was compiled before, none for the first one."""
    schemas = document["components"]["schemas"]
    operations = list(_operations(document))
    messages = [_request(path, operation) for _, path, operation in operations]
    messages += [_of_schema(name, schemas[name]) for name in sorted(_used(operations, schemas))]
    before = {message.name: message for message in last.message_type} if last else {}
    methods = "\n".join(_method(*operation) for operation in operations)
    service = (
        f"// Everything that REST offers, with the same permissions.\nservice {SERVICE} {{\n{methods}}}\n"
    )
    return "\n".join([HEADER, service, *(_message(one, before.get(one.name)) for one in messages)])


def _operations(document: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """The verb, the path and the description of each operation that has a method."""
    for path, verbs in document["paths"].items():
        if not path.startswith(WITHOUT_METHOD):
            yield from ((verb, path, verbs[verb]) for verb in METHODS if verb in verbs)


def _method(verb: str, path: str, operation: Mapping[str, Any]) -> str:
    name = _method_name(operation)
    body = '\n      body: "body"' if "requestBody" in operation else ""
    return (
        f"{_comment(operation['summary'], '  ')}"
        f"  rpc {name}({name}Request) returns ({_answer(operation)}) {{\n"
        f'    option (google.api.http) = {{\n      {verb}: "{_snake_variables(path)}"{body}\n    }};\n  }}\n'
    )


def _method_name(operation: Mapping[str, Any]) -> str:
    name = str(operation["operationId"])
    return name[0].upper() + name[1:]


def _snake_variables(path: str) -> str:
    return re.sub(r"{(\w+)}", lambda found: f"{{{Field(found[1], '', False, '').name}}}", path)


def _answer(operation: Mapping[str, Any]) -> str:
    return _referred(operation["responses"]["200"]["content"][JSON]["schema"])


def _referred(schema: Mapping[str, Any]) -> str:
    return str(schema["$ref"]).rpartition("/")[2]


def _request(path: str, operation: Mapping[str, Any]) -> Message:
    """The message of an operation: variables of the path, parameters of the query, and the body."""
    fields = [
        _field(one["name"], one["schema"], one.get("description", ""))
        for one in operation.get("parameters", [])
        if one["in"] in ("path", "query")
    ]
    if "requestBody" in operation:
        fields.append(
            _field("body", operation["requestBody"]["content"][JSON]["schema"], "The body of the request.")
        )
    return Message(f"{_method_name(operation)}Request", f"The request of `{path}`.", tuple(fields))


def _of_schema(name: str, schema: Mapping[str, Any]) -> Message:
    fields = (
        _field(key, one, one.get("description", "")) for key, one in schema.get("properties", {}).items()
    )
    return Message(name, schema.get("description", ""), tuple(fields))


def _field(json_name: str, schema: Mapping[str, Any], text: str) -> Field:
    """A field for a property. A list that may be null is a ListValue: a repeated field has no null."""
    alternatives = [one for one in schema.get("anyOf", [schema]) if one.get("type") != "null"]
    may_be_null = len(alternatives) < len(schema.get("anyOf", []))
    if len(alternatives) > 1:
        raise ValueError(f"{json_name} has several types, which no proto has: {alternatives}")
    [one] = alternatives
    if one.get("type") == "array":
        if may_be_null:
            return Field(json_name, LIST, False, text)
        return Field(json_name, _kind(json_name, one["items"]), True, text)
    return Field(json_name, _kind(json_name, one), False, text)


def _kind(json_name: str, schema: Mapping[str, Any]) -> str:
    if "$ref" in schema:
        return _referred(schema)
    match schema.get("type"):
        case "string":
            return "string"
        case "boolean":
            return "bool"
        case "number":
            return "double"
        case "integer":
            return (
                "double"
                if LARGE.search(json_name) or any(word in json_name for word in LARGE_WORDS)
                else "int32"
            )
        case "object":
            return ANYTHING
        case "array":
            # A list within a list: a proto has no list of lists, and this one is an array in JSON.
            return LIST
    raise ValueError(f"{json_name} has a type that no proto has: {schema}")


def _used(operations: list[tuple[str, str, Mapping[str, Any]]], schemas: Mapping[str, Any]) -> set[str]:
    """The schemas that bodies and answers are made of."""
    waiting = [_answer(operation) for _, _, operation in operations]
    waiting += [
        _referred(operation["requestBody"]["content"][JSON]["schema"])
        for _, _, operation in operations
        if "requestBody" in operation
    ]
    found: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [one.kind for one in _of_schema(name, schemas[name]).fields if one.kind in schemas]
    return found


def _message(message: Message, before: DescriptorProto | None) -> str:
    numbers = _numbers(before)
    # A number is reserved with its name when the document forgets the field.
    present = {one.name for one in message.fields}
    gone = sorted(name for name in numbers.known if name not in present)
    numbers.reserved |= {numbers.known.pop(name) for name in gone}
    names = sorted({*gone, *(before.reserved_name if before else ())} - present)
    lines = []
    if numbers.reserved:
        lines.append(f"  reserved {', '.join(map(str, sorted(numbers.reserved)))};")
    if names:
        quoted = ", ".join(f'"{name}"' for name in names)
        lines.append(f"  reserved {quoted};")
    for one in message.fields:
        label = "repeated " if one.is_repeated else "optional "
        lines.append(
            f"{_comment(one.text, '  ')}  {label}{one.kind} {one.name} = {numbers.of(one.name)}{_alias(one)};"
        )
    body = "\n".join(lines)
    return (
        f"{_comment(message.text, '')}message {message.name} {{\n{body}\n}}\n"
        if body
        else (f"{_comment(message.text, '')}message {message.name} {{}}\n")
    )


def _numbers(before: DescriptorProto | None) -> Numbers:
    if before is None:
        return Numbers({})
    reserved = {number for one in before.reserved_range for number in range(one.start, one.end)}
    return Numbers({one.name: one.number for one in before.field}, reserved)


def _alias(one: Field) -> str:
    """The name in JSON where protobuf would derive another one."""
    derived = re.sub(r"_(\w)", lambda found: found[1].upper(), one.name)
    return "" if derived == one.json_name else f' [json_name = "{one.json_name}"]'


def _comment(text: str, indent: str) -> str:
    """The first paragraph of a description."""
    paragraph = text.strip().partition("\n\n")[0]
    return "".join(f"{indent}// {line.strip()}\n" for line in paragraph.splitlines())
