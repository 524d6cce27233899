"""Answers of providers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import xxhash

_NEXT = re.compile(r"<([^>]*)>\s*(?:;[^,<]*)?;\s*rel=\"?next\b")


@dataclass(frozen=True)
class Answer:
    """A complete answer. `headers` have names in lower case; `body` is parsed JSON, None for an empty body.

    `mark` tells whether two answers have the same content: 64 bits of it (xxh3), 0 if unknown.
    """

    status: int
    url: str
    headers: Mapping[str, str]
    body: Any
    mark: int = 0

    @property
    def next_link(self) -> str | None:
        """The address of `rel="next"` in the header `Link` (RFC 8288)."""
        found = _NEXT.search(self.headers.get("link", ""))
        return found[1] if found else None


def mark_of(content: bytes | bytearray) -> int:
    """The mark of a content, see `Answer`."""
    return xxhash.xxh3_64_intdigest(content)
