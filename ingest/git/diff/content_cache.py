"""A cache of file contents and of the patches between them.

Neighbouring commits change the same files: the new version of one commit is the old version of the next, and a merge
repeats the changes of its branch. About half of the reads of a history hit a file that was read within the last
hundred commits.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable

import pygit2

from ingest.git.diff.texts import Text, read_blob
from ingest.git.objects.trees import Entry

_MAX_BYTES = 16 * 1024 * 1024
_MAX_TEXT_BYTES = 1024 * 1024
_MAX_PATCHES = 256
_MAX_PATCH_BYTES = 32 * 1024


class Contents:
    """Reads files of one repository. `verify_hashes` checks objects that our own fetch has not checked."""

    def __init__(self, repo: pygit2.Repository, *, verify_hashes: bool) -> None:
        self._repo = repo
        self._verify_hashes = verify_hashes
        self._texts: OrderedDict[bytes, tuple[Text, bool]] = OrderedDict()
        """By object id: the text, and whether its hash was checked; least recently used first."""
        self._bytes = 0
        self._patches: OrderedDict[tuple[str, str, int], bytes] = OrderedDict()

    def read(self, entry: Entry | None, *, is_new: bool = False) -> Text | None:
        """The file of an entry, None without an entry. Raises ObjectProblem.

        `is_new` is True for the commit that added this version.
        """
        if entry is None:
            return None
        verify = is_new and self._verify_hashes
        known = self._texts.get(entry[1])
        if known is not None and (known[1] or not verify):
            self._texts.move_to_end(entry[1])
            return known[0]
        text = read_blob(self._repo, entry, verify_hash=verify)
        if text is not None and known is None and text.size <= _MAX_TEXT_BYTES:
            self._bytes += text.size
            while self._bytes > _MAX_BYTES:
                _, (oldest, _) = self._texts.popitem(last=False)
                self._bytes -= oldest.size
        if text is not None and text.size <= _MAX_TEXT_BYTES:
            self._texts[entry[1]] = text, verify
        return text

    def patch(self, old: Text, new: Text, context: int, draw: Callable[[Text, Text, int], bytes]) -> bytes:
        """The patch between two texts; `draw` makes it where it is not known."""
        key = old.sha, new.sha, context
        patch = self._patches.get(key)
        if patch is None:
            patch = draw(old, new, context)
            if len(patch) <= _MAX_PATCH_BYTES:
                self._patches[key] = patch
                if len(self._patches) > _MAX_PATCHES:
                    self._patches.popitem(last=False)
        return patch
