"""JSON that notes which of its fields somebody reads."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, SupportsIndex, overload

_MISSING = object()


@dataclass
class Trace:
    """Paths of the leaves of a payload, and of those that were read. `[]` stands for every place in a list."""

    read: set[str] = field(default_factory=set)
    leaves: set[str] = field(default_factory=set)

    @property
    def unread(self) -> list[str]:
        return sorted(self.leaves - self.read)

    def wrap(self, value: Any, path: str = "") -> Any:
        """The value with all it holds, as dictionaries and lists that note what is read."""
        if isinstance(value, dict):
            return TracedDict(
                {k: self.wrap(v, f"{path}.{k}".lstrip(".")) for k, v in value.items()}, self, path
            )
        if isinstance(value, list):
            return TracedList([self.wrap(one, f"{path}[]") for one in value], self, path)
        if value is not None:
            self.leaves.add(path)
        return value

    def note(self, path: str) -> None:
        self.read.add(path)


class TracedDict(dict[str, Any]):
    """Notes each field that is asked for by name; a look at all of them reads none."""

    def __init__(self, content: dict[str, Any], trace: Trace, path: str) -> None:
        super().__init__(content)
        self._trace, self._path = trace, path

    def __getitem__(self, name: str) -> Any:
        self._trace.note(f"{self._path}.{name}".lstrip("."))
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        found = super().get(name, _MISSING)
        if found is _MISSING:
            return default
        self._trace.note(f"{self._path}.{name}".lstrip("."))
        return found


class TracedList(list[Any]):
    """Notes that its values are read, by place or one after the other."""

    def __init__(self, content: list[Any], trace: Trace, path: str) -> None:
        super().__init__(content)
        self._trace, self._path = trace, path

    def __iter__(self) -> Iterator[Any]:
        self._trace.note(f"{self._path}[]")
        return super().__iter__()

    @overload
    def __getitem__(self, place: SupportsIndex) -> Any: ...
    @overload
    def __getitem__(self, place: slice) -> list[Any]: ...
    def __getitem__(self, place: SupportsIndex | slice) -> Any:
        self._trace.note(f"{self._path}[]")
        return super().__getitem__(place)
