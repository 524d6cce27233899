"""The content of an answer, unpacked step by step.

A few hundred bytes of gzip hold gigabytes, and httpx unpacks what it received at once, through as many encodings as the
host names. Keep out: limits of a whole answer, which readers of the steps have.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator

import httpx

from ingest.errors import ProviderRefused, Refusal, Transient

ACCEPTED = "gzip"
"""Encodings that requests for large answers accept. Others send `identity`."""
STEP_BYTES = 64 * 1024
_GZIP = 16 + zlib.MAX_WBITS
_DAMAGED = "The host answers damaged data: try again later."


def steps(response: httpx.Response, accepted: str = "identity") -> Iterator[bytes]:
    """Parts of the content, each of at most what one read of the network brings or STEP_BYTES.

    Raises ProviderRefused for an encoding that was not asked for, Transient for damaged content, httpx.HTTPError.
    """
    named = response.headers.get("content-encoding", "").strip().lower() or "identity"
    # RFC 9110, section 8.4.1.3.
    named = named.removeprefix("x-")
    if named not in ("identity", accepted):
        raise ProviderRefused(
            Refusal.INVALID, "The host encodes its answer in a way that it was not asked for."
        )
    # Not `iter_bytes`, which unpacks.
    received = response.stream
    assert isinstance(received, httpx.SyncByteStream)
    if named == "identity":
        yield from received
        return
    unpacking, is_empty = zlib.decompressobj(_GZIP), True
    for part in received:
        rest, is_empty = part, is_empty and not part
        while rest and not unpacking.eof:
            try:
                yield unpacking.decompress(rest, STEP_BYTES)
            except zlib.error as error:
                raise Transient(_DAMAGED) from error
            rest = unpacking.unconsumed_tail
    # Answers such as 304 have the header and no content.
    if not (unpacking.eof or is_empty):
        raise Transient(_DAMAGED)
