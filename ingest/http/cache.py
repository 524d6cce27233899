"""Answers by address, for conditional requests: an unchanged answer costs the provider and its limit nothing.

The cache is one connection's, so that no answer reaches another token. Answers are compressed; the oldest leave first.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

MAX_BYTES = 4 * 1024**2
MAX_ANSWER_BYTES = 1024**2
"""Compressed size of one answer; larger ones are not kept."""
KEPT_HEADERS = frozenset({"link", "x-total-count", "x-next-page", "content-type"})


@dataclass(frozen=True)
class Stored:
    """An answer with the marks by which the provider tells whether it changed."""

    etag: str
    modified: str
    headers: dict[str, str]
    content: bytes

    def conditions(self) -> dict[str, str]:
        """Headers that ask for the answer only if it changed."""
        conditions = {"If-None-Match": self.etag, "If-Modified-Since": self.modified}
        return {name: value for name, value in conditions.items() if value}

    def body(self) -> Any:
        """The parsed answer."""
        return json.loads(zlib.decompress(self.content))


@dataclass
class HttpCache:
    """Answers by address and accepted type, the latest used last."""

    answers: dict[str, Stored] = field(default_factory=dict)
    is_changed: bool = False

    def find(self, url: str, accept: str) -> Stored | None:
        """The stored answer of an address, if any."""
        key = f"{accept} {url}"
        found = self.answers.pop(key, None)
        if found is not None:
            self.answers[key] = found
        return found

    def store(self, url: str, accept: str, headers: Mapping[str, str], body: Any) -> None:
        """Keep an answer that has a mark."""
        etag, modified = headers.get("etag", ""), headers.get("last-modified", "")
        if not (etag or modified) or "no-store" in headers.get("cache-control", ""):
            return
        try:
            content = zlib.compress(json.dumps(body).encode())
        except (TypeError, RecursionError):
            return  # it has a value that cannot be stored
        if len(content) > MAX_ANSWER_BYTES:
            return
        kept = {name: value for name, value in headers.items() if name in KEPT_HEADERS}
        self.answers.pop(f"{accept} {url}", None)
        self.answers[f"{accept} {url}"] = Stored(etag, modified, kept, content)
        self.is_changed = True
        excess = sum(len(one.content) for one in self.answers.values()) - MAX_BYTES
        for key in list(self.answers):
            if excess <= 0:
                break
            excess -= len(self.answers.pop(key).content)

    def to_bytes(self) -> bytes:
        """The cache as a file."""
        rows = {key: asdict(one) | {"content": one.content.hex()} for key, one in self.answers.items()}
        return json.dumps(rows).encode()

    @classmethod
    def from_bytes(cls, content: bytes | None) -> HttpCache:
        """The inverse of `to_bytes`; empty for None or a file that cannot be read."""
        try:
            rows = json.loads(content) if content else {}
            return cls(
                {
                    key: Stored(**{**one, "content": bytes.fromhex(one["content"])})
                    for key, one in rows.items()
                }
            )
        except (ValueError, TypeError, KeyError, AttributeError):
            return cls()
