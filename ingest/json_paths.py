"""Parts of a JSON value by their path, such as a list in the body of an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

JsonPath = tuple[str | int, ...]


def at(body: Any, path: Sequence[str | int]) -> Any:
    """The part of a body at a path; None if a step is missing."""
    for step in path:
        if isinstance(body, Mapping):
            body = body.get(step)
        elif isinstance(body, Sequence) and isinstance(step, int) and step < len(body):
            body = body[step]
        else:
            return None
    return body
