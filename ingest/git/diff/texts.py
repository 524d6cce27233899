"""Contents of one file version: a blob, its lines and whether it is text.

Keep out: comparing two of them (`hunks`), remembering them (`content_cache`).
"""

from __future__ import annotations

import numpy as np
import pygit2

from ingest.git.objects.contents import check, corrupt, unread
from ingest.git.objects.trees import Entry

MAX_BYTES = 20 * 1024 * 1024
"""Larger files are not compared: nobody writes them by hand, and comparing two of them needs 1 GB."""
_NEWLINE = 0x0A
BINARY_TEST_BYTES = 8000
"""Bytes in which Git looks for a NUL, its sign of binary content; libgit2's own test takes more for binary."""


class Text:
    """A blob. Its bytes are copied once, at the first access; a blob that is too large has none."""

    __slots__ = ("_blob", "_data", "_lines", "is_binary", "is_too_large", "sha", "size")

    def __init__(self, sha: str, size: int, blob: pygit2.Blob | None) -> None:
        self.sha, self.size, self._blob = sha, size, blob
        self.is_too_large = blob is None
        self.is_binary = blob is None or b"\0" in memoryview(blob)[:BINARY_TEST_BYTES].tobytes()
        self._data: bytes | None = None
        self._lines: int | None = None

    @property
    def blob(self) -> pygit2.Blob:
        assert self._blob is not None
        return self._blob

    @property
    def data(self) -> bytes:
        if self._data is None:
            # `Blob.data` reads the object from its pack once more.
            self._data = memoryview(self.blob).tobytes()
        return self._data

    def starts_with(self, length: int) -> bytes:
        """The first bytes, without copying the rest."""
        return b"" if self._blob is None else memoryview(self._blob)[:length].tobytes()

    def ends_with(self, length: int) -> bytes:
        """The last bytes of a file of more than `length`, without copying the rest; empty for a shorter one."""
        if self._blob is None or self.size <= length:
            return b""
        return memoryview(self._blob)[-length:].tobytes()

    def count_lines(self) -> int:
        """Physical lines; a last one without newline counts."""
        if self._lines is None:
            content = memoryview(self.blob)
            is_cut_off = content[-1:].tobytes() not in (b"", b"\n")
            self._lines = count_newlines(content) + is_cut_off
        return self._lines

    def note_lines(self, lines: int) -> None:
        """Set the number of lines, for callers that know it without counting."""
        self._lines = lines

    def lines(self, first: int = -1) -> list[bytes]:
        """Physical lines, or so many of the first ones."""
        return split_lines(self.data) if first < 0 else self.data.split(b"\n", first)[:first]


def count_newlines(data: memoryview) -> int:
    """Count newlines: several times faster than `bytes.count` in long contents."""
    return int(np.count_nonzero(np.frombuffer(data, dtype=np.uint8) == _NEWLINE))


def read_blob(repo: pygit2.Repository, entry: Entry | None, *, verify_hash: bool = False) -> Text | None:
    """The blob of an entry; None without an entry. Raises ObjectProblem."""
    if entry is None:
        return None
    sha = entry[1].hex()
    try:
        # Read the size first: a file of gigabytes would take all memory.
        _, size = repo.odb.read_header(sha)
        blob = repo[sha] if size <= MAX_BYTES else None
    except (KeyError, pygit2.GitError, ValueError) as error:
        raise unread(repo.odb, sha, b"blob", error) from None
    if blob is not None and not isinstance(blob, pygit2.Blob):
        raise corrupt(sha, b"blob", "the object has another type")
    text = Text(sha, size, blob)
    if verify_hash and blob is not None:
        check(sha, b"blob", text.data)
    return text


def split_lines(data: bytes) -> list[bytes]:
    """Physical lines without their newline; a last line without newline counts."""
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return lines
