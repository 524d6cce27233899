"""Keeps erased people out of what a sync remembers: ids of rows, and answers for conditional requests.

Rows themselves are the lake's (`ingest.lake`), which writes none without the marks of erased people.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Any

from ingest.connections.known import FILE, Known
from ingest.connections.model import Deferred, Record, Slice, Stream
from ingest.erasure import texts
from ingest.erasure.marks import Marks
from ingest.http.cache import HttpCache

CACHE_FILE = "answers.json"


def changed_file(marks: Marks) -> Callable[[str, bytes], bytes]:
    """The change of the files beside the state of a connection: ids have pseudonyms, answers about people are gone."""

    def change(name: str, content: bytes) -> bytes:
        if name == FILE:
            known = Known.from_bytes(content)
            entries = {
                (table, texts.identifier(marks, key)): entry for (table, key), entry in known.entries.items()
            }
            return Known(entries).to_bytes() if entries.keys() != known.entries.keys() else content
        if name == CACHE_FILE:
            cache = HttpCache.from_bytes(content)
            answers = {
                url: answer
                for url, answer in cache.answers.items()
                if texts.text(marks, url) == url and not _is_about_erased(marks, answer.body())
            }
            return HttpCache(answers).to_bytes() if len(answers) < len(cache.answers) else content
        return content

    return change


def stored_files(marks: Marks, known: Known, cache: HttpCache) -> dict[str, bytes]:
    """The files beside the state of a connection."""
    files = {FILE: known.to_bytes(), CACHE_FILE: cache.to_bytes()}
    return {name: changed_file(marks)(name, content) for name, content in files.items()} if marks else files


def without_erased(marks: Marks, stream: Stream) -> Stream:
    """A stream that names rows about erased people by their pseudonyms, also when it lists what exists."""
    if not marks:
        return stream
    list_ids = stream.list_ids
    return replace(
        stream,
        read=partial(_slices, marks, stream.read),
        list_ids=None if list_ids is None else lambda: (texts.identifier(marks, one) for one in list_ids()),
    )


def _is_about_erased(marks: Marks, answer: Any) -> bool:
    return bool(texts.structure(marks, answer) != answer)


def _slices(
    marks: Marks,
    read: Callable[[datetime | None, str | None], Iterator[Slice]],
    since: datetime | None,
    cursor: str | None,
) -> Iterator[Slice]:
    for part in read(since, cursor):
        yield replace(
            part,
            rows=[_row(marks, one) for one in part.rows],
            failures={
                texts.identifier(marks, key): texts.text(marks, why) for key, why in part.failures.items()
            },
            deleted=[texts.identifier(marks, one) for one in part.deleted],
        )


def _row(marks: Marks, row: Record | Deferred) -> Record | Deferred:
    if isinstance(row, Deferred):
        key = None if row.provider_id is None else texts.identifier(marks, row.provider_id)
        return replace(row, provider_id=key, read=lambda: _record(marks, row.read()))
    return _record(marks, row)


def _record(marks: Marks, record: Record) -> Record:
    key = texts.identifier(marks, record.provider_id)
    return record if key == record.provider_id else replace(record, provider_id=key)
