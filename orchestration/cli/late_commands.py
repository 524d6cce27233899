"""Commands whose module is imported when they run, so that `eas --help` imports none of them.

Lists show the beginning of a command's docstring, which is read from its source.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command


class Place(NamedTuple):
    """Where a command is: a module, and in it a function, or a `Typer` with commands of its own."""

    module: str
    name: str
    summary: str | None = None
    """What lists say of a `Typer`. Of a function it is the docstring."""


class LateCommand(TyperCommand):
    """Stands in lists for a command that is not imported."""

    def __init__(self, name: str, place: Place) -> None:
        self.place = place
        super().__init__(name=name, callback=None)

    def loaded(self) -> TyperCommand | TyperGroup:
        """The command itself."""
        found = getattr(import_module(self.place.module), self.place.name)
        if isinstance(found, typer.Typer):
            app = found
        else:
            app = typer.Typer(add_completion=False)
            app.command(self.name)(found)
        command = get_command(app)
        assert isinstance(command, TyperCommand | TyperGroup)
        return command


class LateGroup(TyperGroup):
    """A group with commands of other modules before its own."""

    places: Mapping[str, Place] = {}

    def __init__(self, *, commands: dict[str, Any] | None = None, **options: Any) -> None:
        late = {name: LateCommand(name, place) for name, place in self.places.items()}
        super().__init__(commands={**late, **(commands or {})}, **options)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        for command in self.commands.values():
            if isinstance(command, LateCommand):
                command.help = command.place.summary or docstring(command.place.module, command.place.name)
        super().format_help(ctx, formatter)

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        return name, command.loaded() if isinstance(command, LateCommand) else command, rest


def late(places: Mapping[str, Place]) -> type[LateGroup]:
    """The class of a group with these commands, in this order."""
    return type("Group", (LateGroup,), {"places": places})


def docstring(module: str, function: str) -> str:
    """The docstring of a function in a module that is not imported. Raises LookupError without one."""
    spec = find_spec(module)
    if spec is None or spec.origin is None or not spec.has_location:
        raise LookupError(f"{module} has no source")
    for node in ast.parse(Path(spec.origin).read_bytes()).body:
        if isinstance(node, ast.FunctionDef) and node.name == function:
            found = ast.get_docstring(node)
            if found:
                return found
    raise LookupError(f"{module}.{function} has no docstring")
