"""The commits that have the credit for the lines of one branch: changes that make no line new pass the credit on.

A commit of the branch may lay out, move, bring back, copy or rename in lines that an earlier commit of the branch
wrote. On the mainline that earns nothing, and the author of the lines keeps the credit. Here it is the same, by the
same rules (`classifier`, `copied`), between the commits of one delivery. Lines older than the branch need nothing: the
net difference of the delivery classifies them. Keep out: the commit that wrote a line (`blame.ownership`).
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict, deque
from collections.abc import Mapping, Sequence

import numpy as np

from ingest.git.blame.file_tree import NO_LINES, LineIds, Node, lookup
from ingest.git.blame.line_edits import line_edits
from ingest.git.changes.commit_changes import FileChange
from ingest.git.changes.file_lines import NO_SOURCE
from ingest.git.classify.branch_blocks import BranchFile, find_copies
from ingest.git.lexing.line_features import BLANK

_UNKNOWN_LINE = (0, BLANK)


def branch_files(
    root: Node, changes: Sequence[FileChange], removed: Mapping[str, LineIds]
) -> list[BranchFile]:
    """The files of one commit with the facts of their lines; `root` are its files, `removed` its removed lines."""
    edits = line_edits()
    files = []
    for change in sorted(changes, key=lambda c: c.path):
        if change.lines is None:
            continue
        gone = removed.get(change.previous_path or change.path, NO_LINES)
        ids = NO_LINES if change.status == "D" else lookup(root, change.path)
        added = edits.pick_added(ids, change.hunks)
        if len(added) == len(change.lines.kinds) and len(gone) == len(change.lines.removed_gone):
            files.append(BranchFile(change.lines, change.hunks, gone, added, change.path))
    return files


class BranchCredit:
    """The lines of one delivery, whose ownership ids begin at `first`."""

    def __init__(self, first: int) -> None:
        self._first = first
        self._commits: list[Sequence[BranchFile]] = []
        self._hashes = array("Q")
        """Of the lines of the branch, by id from `first` on; 0 where a line could not be read."""
        self._kinds = bytearray()
        self._sources: dict[int, int] = {}
        """Line → the line that has its credit. Such a line has no source itself."""
        self._gone: dict[int, list[int]] = defaultdict(list)
        """Line hash → lines of the branch that it removed, the last one at the end."""
        self._instances: Counter[int] = Counter()
        """Instances of each replacement on the branch."""

    def add(self, files: Sequence[BranchFile]) -> None:
        """Add the changes of one commit, parents first; files are in path order."""
        if files:
            self._commits.append(files)

    def sources(self, ids: LineIds) -> LineIds | None:
        """For each line the line that has its credit, which may be itself; None where no rule passes any on."""
        literal, abstracted = find_copies(self._commits)
        if not (literal or abstracted or self._removes_own()):
            return None
        for number, files in enumerate(self._commits):
            self._take_in(files, [*literal.get(number, ()), *abstracted.get(number, ())])
        if not self._sources:
            return None
        return np.fromiter([self._sources.get(line, line) for line in ids.tolist()], np.int32, len(ids))

    def _removes_own(self) -> bool:
        """Whether a commit removes a line that the branch wrote."""
        removed = [file.removed for files in self._commits for file in files if len(file.removed)]
        return bool(removed) and int(np.concatenate(removed).max()) >= self._first

    def _take_in(self, files: Sequence[BranchFile], copies: Sequence[tuple[int, int]]) -> None:
        self._note_lines(files)
        open_lines = {
            line: None
            for file in files
            for line, is_layout in zip(file.added.tolist(), file.lines.is_layout, strict=True)
            if not is_layout
        }
        alive: set[int] = set()
        for file in files:
            self._follow_layout(file, alive)
        removed = [line for file in files for line in file.removed.tolist() if line >= self._first]
        self._follow_moved(open_lines, removed, alive)
        self._follow_returned(open_lines)
        self._follow_reworded(files, open_lines, alive)
        for line, source in copies:
            if line in open_lines:
                self._pass_on(line, source, open_lines)
        for file in files:
            self._follow_replaced(file, open_lines, alive)
        for line in removed:
            value, kind = self._facts(line)
            if kind != BLANK and line not in alive:
                self._gone[value].append(line)

    def _note_lines(self, files: Sequence[BranchFile]) -> None:
        for file in sorted((f for f in files if len(f.added)), key=lambda f: int(f.added[0])):
            missing = int(file.added[0]) - self._first - len(self._kinds)
            self._hashes.frombytes(bytes(8 * missing) + file.lines.line_hashes)
            self._kinds += bytes([BLANK]) * missing + file.lines.kinds

    def _facts(self, line: int) -> tuple[int, int]:
        """Hash and kind of a line of the branch."""
        at = line - self._first
        return (self._hashes[at], self._kinds[at]) if at < len(self._kinds) else _UNKNOWN_LINE

    def _pass_on(self, line: int, source: int, open_lines: dict[int, None]) -> None:
        self._sources[line] = self._sources.get(source, source)
        open_lines.pop(line, None)

    def _follow_layout(self, file: BranchFile, alive: set[int]) -> None:
        lines = file.lines
        if 1 not in lines.removed_layout:
            return
        removed, added = file.removed.tolist(), file.added.tolist()
        alive.update(line for line, lives in zip(removed, lines.removed_layout, strict=True) if lives)
        source = None
        for i, origin in enumerate(array("i", lines.layout_from)):
            if origin != NO_SOURCE:
                source = removed[origin]
            elif not lines.is_layout[i] or lines.kinds[i] == BLANK:
                source = None
            # The further lines of a wrapped line have no source of their own.
            if source is not None and source >= self._first:
                self._sources[added[i]] = self._sources.get(source, source)

    def _follow_moved(self, open_lines: dict[int, None], removed: Sequence[int], alive: set[int]) -> None:
        waiting: dict[int, deque[int]] = defaultdict(deque)
        for line in removed:
            value, kind = self._facts(line)
            if kind != BLANK and line not in alive:
                waiting[value].append(line)
        for line in list(open_lines) if waiting else ():
            candidates = waiting.get(self._facts(line)[0])
            if candidates:
                source = candidates.popleft()
                alive.add(source)
                self._pass_on(line, source, open_lines)

    def _follow_returned(self, open_lines: dict[int, None]) -> None:
        for line in list(open_lines) if self._gone else ():
            candidates = self._gone.get(self._facts(line)[0])
            if candidates:
                self._pass_on(line, candidates.pop(), open_lines)

    def _follow_reworded(
        self, files: Sequence[BranchFile], open_lines: dict[int, None], alive: set[int]
    ) -> None:
        by_path = {file.path: file for file in files}
        for file in files:
            alive.update(int(file.removed[at]) for at in file.lines.kept_words)
            for at, (path, theirs) in file.lines.reworded.items():
                line, origin = int(file.added[at]), by_path.get(path)
                if origin is None or line not in open_lines:
                    continue
                source = int(origin.removed[theirs])
                if source >= self._first:
                    self._pass_on(line, source, open_lines)

    def _follow_replaced(self, file: BranchFile, open_lines: dict[int, None], alive: set[int]) -> None:
        for i, (theirs, *keys) in sorted(file.lines.substitutions.items()):
            line, source = int(file.added[i]), int(file.removed[theirs])
            if line not in open_lines:
                continue
            # The first instance is new work, as on the mainline.
            if min([self._count_instance(key) for key in keys]) > 1 and source >= self._first:
                alive.add(source)
                self._pass_on(line, source, open_lines)

    def _count_instance(self, key: int) -> int:
        self._instances[key] += 1
        return self._instances[key]
