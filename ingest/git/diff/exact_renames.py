"""Renames without a change of content, which need no comparison of texts.

Keep out: renames of edited files (`renames`).
"""

from __future__ import annotations

from collections import defaultdict, deque

from ingest.git.objects.trees import Entry, PathChange


def file_kind(mode: bytes) -> bytes:
    """The kind of file of a mode: regular file, link or submodule."""
    return mode[:3]


def exact_renames(added: list[PathChange], deleted: list[PathChange]) -> dict[bytes, tuple[bytes, int]]:
    """Renamed files with unchanged content, without a limit on their number.

    Pairs are formed as Git forms them: in path order, a file of the same name in another folder first. libgit2
    leaves out symbolic links and stops after a thousand files.
    """
    waiting: dict[tuple[bytes, bool | bytes, bytes | None], deque[bytes]] = defaultdict(deque)
    for change in deleted:
        for key in _same_file(change.path, change.old):
            waiting[key].append(change.path)
    found: dict[bytes, tuple[bytes, int]] = {}
    taken = set()
    for change in added:
        for key in _same_file(change.path, change.new):
            sources = waiting.get(key, deque())
            while sources and sources[0] in taken:
                sources.popleft()
            if sources and change.path not in found:
                found[change.path] = sources[0], 100
                taken.add(sources.popleft())
    return found


def _same_file(path: bytes, entry: Entry | None) -> list[tuple[bytes, bool | bytes, bytes | None]]:
    """Keys under which two names of one file match: with the file name, then without it."""
    assert entry is not None
    mode, blob = entry
    kind = True if file_kind(mode) == b"100" else mode
    return [(blob, kind, path.rpartition(b"/")[2]), (blob, kind, None)]
