"""Reads a GraphQL schema from the TypeScript types that `@graphql-codegen/typescript` makes of it.

Linear publishes no schema as a package, but its client `@linear/sdk` declares every type, field, argument, enumeration
and union of it. Values of arguments by default and descriptions are lost; no document depends on them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

BLOCK = re.compile(r"^type (\w+) = ((?:\w+ & )*)\{\n(.*?)^\};\n", re.MULTILINE | re.DOTALL)
UNION = re.compile(r"^type (\w+) = (\w+(?: \| \w+)*);$", re.MULTILINE)
ENUM = re.compile(r"^declare enum (\w+) \{\n(.*?)^\}\n", re.MULTILINE | re.DOTALL)
FIELD = re.compile(r"^  (\w+)\??: (.+);$", re.MULTILINE)
NULLABLE = re.compile(r"(?:Input)?Maybe<(.+)>")
LIST = re.compile(r"Array<(.+)>")
SCALAR = re.compile(r'Scalars\["(\w+)"\]')
VALUE = re.compile(r'^  \w+ = "(\w+)",?$', re.MULTILINE)
BUILT_IN = frozenset({"ID", "String", "Boolean", "Int", "Float"})

Fields = dict[str, str]


def sdl_of(declarations: str) -> str:
    """The schema in GraphQL's own language. Raises ValueError where a field has a form that is not known."""
    # The types of the client's own documents follow those of the schema.
    types = declarations[: declarations.index("Fragment = {")]
    parents: dict[str, list[str]] = {}
    fields: dict[str, Fields] = {}
    for name, extended, body in BLOCK.findall(types):
        parents[name] = extended.replace("&", " ").split()
        fields[name] = dict(FIELD.findall(body))
    scalars = set(fields.pop("Scalars")) - BUILT_IN
    objects = {name for name, found in fields.items() if found.pop("__typename", None) == f'"{name}"'}
    interfaces = {parent for found in parents.values() for parent in found}
    arguments = _argument_types(fields, objects | interfaces)
    lines = [f"scalar {name}" for name in sorted(scalars)]
    lines += [f"enum {name} {{ {' '.join(VALUE.findall(body))} }}" for name, body in ENUM.findall(types)]
    lines += [f"union {name} = {members}" for name, members in UNION.findall(types)]
    for name, found in fields.items():
        if name in objects or name in interfaces:
            word = "type" if name in objects else "interface"
            above = f" implements {' & '.join(parents[name])}" if parents[name] else ""
            lines.append(f"{word} {name}{above} {{ {' '.join(_declared(name, found, fields))} }}")
        elif name not in arguments:
            lines.append(f"input {name} {{ {_typed(found)} }}")
    return "\n".join(lines)


def _argument_types(fields: dict[str, Fields], owners: set[str]) -> set[str]:
    return {_arguments(owner, field) for owner in owners for field in fields[owner]} - owners


def _arguments(owner: str, field: str) -> str:
    return f"{owner}{field[0].upper()}{field[1:]}Args"


def _declared(owner: str, found: Fields, fields: dict[str, Fields]) -> Iterator[str]:
    for field, kind in found.items():
        arguments = _typed(fields.get(_arguments(owner, field), {}))
        yield f"{field}{f'({arguments})' if arguments else ''}: {_type(kind)}"


def _typed(found: Fields) -> str:
    return " ".join(f"{name}: {_type(kind)}" for name, kind in found.items())


def _type(kind: str) -> str:
    if inner := NULLABLE.fullmatch(kind):
        return _type(inner[1]).removesuffix("!")
    if inner := LIST.fullmatch(kind):
        return f"[{_type(inner[1])}]!"
    name = inner[1] if (inner := SCALAR.fullmatch(kind)) else kind
    if not name.isidentifier():
        raise ValueError(f"this type is not known: {kind}")
    return f"{name}!"
