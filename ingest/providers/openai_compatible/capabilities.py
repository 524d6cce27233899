"""What a server with this interface can do, learned from its refusals and remembered for each connection.

Servers differ: older ones know only `max_tokens`, newer ones of OpenAI only `max_completion_tokens`; models that reason
reject `temperature`; builds of llama.cpp have rejected `json_schema`. Keep out: requests (`chat`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Self

from ingest.errors import ProviderRefused
from ingest.json_paths import at

_LIMITS = ("max_completion_tokens", "max_tokens")
_NAME = re.compile(r"max_completion_tokens|max_tokens|temperature")
_OF_FORMAT = re.compile(
    r"response_format|json_schema|json_object|json schema|grammar|structured output", re.IGNORECASE
)
_TOO_LONG = re.compile(
    r"context[ _](?:length|window|size)|maximum context|prompt is too long|too many tokens|the available context",
    re.IGNORECASE,
)
ADJUSTED = frozenset({400, 422, 501})
"""Statuses with which servers refuse a parameter that they do not know."""


class Format(StrEnum):
    """How a server is asked for JSON, from the strictest on."""

    JSON_SCHEMA = "json_schema"
    JSON_OBJECT = "json_object"
    PLAIN = "plain"


_WEAKER = {Format.JSON_SCHEMA: Format.JSON_OBJECT, Format.JSON_OBJECT: Format.PLAIN}


@dataclass(frozen=True)
class Capabilities:
    """What to ask a server for. A new connection begins with everything."""

    format: Format = Format.JSON_SCHEMA
    limit: str = _LIMITS[0]
    """The name of the parameter with the most tokens of an answer."""
    has_temperature: bool = True

    @classmethod
    def remembered(cls, stored: Mapping[str, Any] | None) -> Self:
        """The inverse of `as_json`; everything for what is missing or of another release."""
        found = stored or {}
        fresh = cls()
        try:
            form = Format(found.get("format", fresh.format))
        except ValueError:
            form = fresh.format
        limit = found.get("limit")
        return cls(
            form,
            limit if limit in _LIMITS else fresh.limit,
            found.get("has_temperature") is not False,
        )

    @property
    def as_json(self) -> dict[str, Any]:
        """The values to store."""
        return {"format": str(self.format), "limit": self.limit, "has_temperature": self.has_temperature}

    def after(self, refused: ProviderRefused) -> Capabilities | None:
        """What to ask for after a refusal; None if the refusal is about something else.

        A refusal that names no parameter costs one thing after the other.
        """
        if refused.status not in ADJUSTED or is_too_long(refused):
            return None
        words = _words(refused.body)
        named = _NAME.search(str(at(refused.body, ("error", "param")) or "")) or _NAME.search(words)
        if named is None and not _OF_FORMAT.search(words) and self.has_temperature:
            return replace(self, has_temperature=False)
        if named is not None and named[0] == self.limit:
            return replace(self, limit=next(one for one in _LIMITS if one != self.limit))
        if named is not None and named[0] == "temperature" and self.has_temperature:
            return replace(self, has_temperature=False)
        if self.format in _WEAKER:
            return replace(self, format=_WEAKER[self.format])
        return None


def is_too_long(refused: ProviderRefused) -> bool:
    """Whether a server refuses a request because it is longer than the model reads."""
    code = at(refused.body, ("error", "code"))
    if code == "context_length_exceeded" or refused.status == 413:
        return True
    return refused.status in ADJUSTED and bool(_TOO_LONG.search(_words(refused.body)))


def is_limit_of_answer(refused: ProviderRefused) -> bool:
    """Whether a model refuses because it would have written more than it was allowed: it works."""
    return refused.status == 400 and "output limit was reached" in _words(refused.body)


def _words(body: Any) -> str:
    return json.dumps(body) if isinstance(body, dict | list) else ""
