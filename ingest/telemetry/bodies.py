"""Bodies of OTLP over HTTP: inflated within a bound, decoded by the published classes, and answered in their encoding.

https://opentelemetry.io/docs/specs/otlp/#otlphttp. Keep out: what the records mean.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Iterable
from enum import StrEnum
from typing import Any, TypeVar

import orjson
from google.protobuf import json_format
from google.protobuf.message import DecodeError, Message
from google.rpc.status_pb2 import Status

MAX_BODY = 4 * 1024**2
"""Bytes of a body as it is sent. An exporter's batch of 512 events has some hundred thousand."""
MAX_INFLATED = 16 * 1024**2
"""Bytes of a body after decompression."""
MAX_INFLATED_JSON = 4 * 1024**2
"""JSON takes about forty times as long to decode as protobuf."""
MAX_RECORDS = 10_000
"""Records, scopes and resources of a request: an exporter sends 512 records at a time."""
MAX_NODES = 50 * MAX_RECORDS
"""Values and objects of a request as JSON. A record has about thirty."""
IDS = frozenset({"traceId", "spanId", "parentSpanId", "trace_id", "span_id", "parent_span_id"})
M = TypeVar("M", bound=Message)


class Encoding(StrEnum):
    """Encodings of requests and answers, by their content type."""

    PROTOBUF = "application/x-protobuf"
    JSON = "application/json"


class Refused(Exception):
    """A request that is answered with a `google.rpc.Status`. `http_status` says whether the exporter sends it again."""

    def __init__(self, http_status: int, code: int, message: str) -> None:
        super().__init__(message)
        self.http_status, self.code, self.message = http_status, code, message


def encoding_of(content_type: str) -> Encoding:
    """The encoding that a Content-Type names. Raises Refused."""
    try:
        return Encoding(content_type.partition(";")[0].strip().lower())
    except ValueError:
        known = " or ".join(Encoding)
        raise Refused(
            415, 3, f"the Content-Type must be {known}; set the protocol http/protobuf or http/json"
        ) from None


def decoded(kind: type[M], encoding: Encoding, content_encoding: str, body: bytes) -> M:
    """The message in a body. Unknown fields are ignored. Raises Refused."""
    limit = MAX_INFLATED_JSON if encoding is Encoding.JSON else MAX_INFLATED
    plain = inflated(content_encoding, body, limit)
    try:
        if encoding is Encoding.PROTOBUF:
            found: M = kind.FromString(plain)
            return found
        content = orjson.loads(plain)
        _encode_ids(content)
        found = kind()
        json_format.ParseDict(content, found, ignore_unknown_fields=True)
        return found
    except (DecodeError, orjson.JSONDecodeError, json_format.ParseError, binascii.Error) as error:
        # Its first line; a parser may quote the value itself.
        where = type(error).__name__
        raise Refused(400, 3, f"the body is no {kind.DESCRIPTOR.name} as {encoding} ({where})") from None
    except (TypeError, ValueError, AttributeError, RecursionError):
        raise Refused(400, 3, f"the body is no {kind.DESCRIPTOR.name} as {encoding}") from None


def inflated(content_encoding: str, body: bytes, limit: int) -> bytes:
    """The body without gzip, at most `limit` bytes. Raises Refused."""
    name = content_encoding.strip().lower() or "identity"
    if name == "identity":
        plain, is_complete = body, True
    elif name == "gzip":
        reader = zlib.decompressobj(16 + zlib.MAX_WBITS)
        try:
            # One byte more than the limit tells a larger body, whatever it would become.
            plain = reader.decompress(body, limit + 1)
        except zlib.error:
            raise Refused(400, 3, "the body is no gzip, which Content-Encoding says") from None
        is_complete = reader.eof or len(plain) > limit
    else:
        raise Refused(
            415, 3, "the Content-Encoding must be gzip or missing; set the compression to gzip or none"
        )
    if len(plain) > limit:
        raise Refused(413, 3, f"the body has more than {limit} bytes uncompressed; send smaller batches")
    if not is_complete:
        raise Refused(400, 3, "the gzip of the body ends too early")
    return plain


def refuse_many(sizes: Iterable[int]) -> None:
    """Raises Refused where the numbers of records, each with its scope or resource, are together too large."""
    found = 0
    for size in sizes:
        found += size + 1
        if found > MAX_RECORDS:
            raise Refused(413, 3, f"a request has more than {MAX_RECORDS} records; send smaller batches")


def encoded(message: Message, encoding: Encoding) -> bytes:
    """An answer in the encoding of its request."""
    if encoding is Encoding.PROTOBUF:
        return bytes(message.SerializeToString())
    return str(json_format.MessageToJson(message, indent=None)).encode()


def status(refused: Refused, encoding: Encoding) -> bytes:
    """The body of a refusal."""
    return encoded(Status(code=refused.code, message=refused.message), encoding)


def _encode_ids(content: Any) -> None:
    """Put the bytes of trace ids where the JSON of OTLP has hexadecimal digits: the parser reads base64."""
    pending, nodes = [content], 0
    while pending:
        one, nodes = pending.pop(), nodes + 1
        if nodes > MAX_NODES:
            raise Refused(413, 3, "a request has too many values; send smaller batches")
        if isinstance(one, list):
            pending += one
        elif isinstance(one, dict):
            for name in IDS & one.keys():
                one[name] = base64.b64encode(bytes.fromhex(one[name])).decode()
            pending += one.values()
