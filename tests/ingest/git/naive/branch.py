"""The origin that has the credit of each line of a branch, by plain loops over the commits of one delivery.

A line that an earlier commit of the branch wrote keeps its credit where a later one lays it out, moves it, brings it
back, copies its block or replaces a word of it for a further time. Where the definitions leave a choice, it is that of
judge.py; a line that a merge wrote is found again only by its layout.
"""

from collections import Counter
from dataclasses import dataclass, field

from ingest.git.lexing.languages import LANGUAGES, UNKNOWN, language_of
from ingest.git.lexing.line_features import BLANK
from tests.ingest.git.naive.blocks import text_of, windows
from tests.ingest.git.naive.comparison import compare, features_of, lines_of
from tests.ingest.git.naive.history import Delivery, NaiveGit, Origin, Owners, Pair
from tests.ingest.git.naive.lines import Added, Comparison, Line, Removed, is_same
from tests.ingest.git.naive.rewordings import reworded


@dataclass
class _File:
    removed: list[Removed] = field(default_factory=list)
    runs: list[list[Added]] = field(default_factory=list)
    origins: dict[int, Origin] = field(default_factory=dict)
    """Of added lines, by their identity."""
    path: str = ""
    old_path: str | None = None
    language: str = ""
    gone_runs: list[list[Removed]] = field(default_factory=list)


class Branch:
    """The lines of one delivery."""

    def __init__(
        self, git: NaiveGit, owners: Owners, delivery: Delivery, tool_made: set[tuple[str, str]]
    ) -> None:
        self.git, self.owners, self.delivery, self.tool_made = git, owners, delivery, tool_made
        self.credit: dict[int, Origin] = {}
        """Identity of an origin → the origin that has its credit."""
        self._gone: list[Removed] = []
        self._blocks: dict[bool, dict[tuple[int, ...], list[Origin]]] = {False: {}, True: {}}
        self._instances: Counter[int] = Counter()
        if len(delivery.commits) > 2:
            for sha in delivery.commits:
                if len(git.parents(sha)) < 2:
                    self._take_in(sha)

    def credited(self, origin: Origin) -> Origin:
        return self.credit.get(id(origin), origin)

    def _is_own(self, origin: Origin) -> bool:
        return origin.birth in self.delivery.brought

    def _is_read(self, line: Removed) -> bool:
        return self._is_own(line.origin) and len(self.git.parents(line.origin.birth)) < 2

    def _take_in(self, sha: str) -> None:
        parents = self.git.parents(sha)
        before = self.owners.at(parents[0]) if parents else {}
        after = self.owners.at(sha)
        files = [
            self._read(sha, pair, before, after)
            for pair in self.git.pairs(parents[0] if parents else None, sha)
            if not any(blob and self.git.is_binary(blob) for blob in (pair.old_blob, pair.new_blob))
        ]
        removed = [line for file in files for line in file.removed if self._is_read(line)]
        added = [(file, mine) for file in files for run in file.runs for mine in run]
        for file, mine in added:
            self._follow_layout(file, mine)
        for waiting in (removed, self._gone):
            for file, mine in added:
                self._claim(file, mine, waiting, is_last_first=waiting is self._gone)
        self._follow_reworded({file.path: file for file in files if file.path})
        self._follow_copied(files)
        self._follow_replaced(added)
        self._gone += [line for line in removed if not line.is_claimed and line.line.kind != BLANK]

    def _read(
        self, sha: str, pair: Pair, before: dict[str, list[Origin]], after: dict[str, list[Origin]]
    ) -> _File:
        file = _File()
        if {(sha, pair.path), (sha, pair.old_path)} & self.tool_made or pair.old_blob == pair.new_blob:
            return file
        blob = pair.new_blob or pair.old_blob
        assert blob is not None
        name = language_of(pair.path, self.git.data(blob)[:4096].partition(b"\n")[0]).name
        language = LANGUAGES.get(name, UNKNOWN)
        file.path, file.old_path, file.language = pair.path, pair.old_path, name
        old_data, new_data = (self.git.data(b) if b else b"" for b in (pair.old_blob, pair.new_blob))
        old = before[pair.old_path] if pair.old_path is not None else []
        new = after[pair.new_path] if pair.new_path is not None else []
        for block in self.git.blocks(pair.old_blob, pair.new_blob):
            theirs = features_of(language, block.old, old_data)
            ours = features_of(language, block.new, new_data)
            gone = [
                Line(block.old.lines[at], theirs.kind[i], False, theirs.line_hash[i])
                for i, at in enumerate(block.old.changed)
            ]
            fresh = [Added(line) for line in lines_of(block, ours)]
            for i, mine in enumerate(fresh):
                mine.head = fresh[ours.owner[i]]
            comparison = Comparison([], fresh, theirs, ours)
            taken = 0
            for start, removed, to, count in block.hunks:
                origins = old[start : start + removed]
                at = len(comparison.removed)
                comparison.removed += [
                    Removed(line, origin) for line, origin in zip(gone[at:], origins, strict=False)
                ]
                file.gone_runs.append(comparison.removed[at:])
                run = fresh[taken : taken + count]
                taken += count
                file.runs.append(run)
                file.origins |= {
                    id(mine): origin for mine, origin in zip(run, new[to : to + count], strict=True)
                }
            compare(comparison)
            file.removed += comparison.removed
        return file

    def _pass_on(self, file: _File, mine: Added, origin: Origin) -> None:
        mine.klass = "followed"
        self.credit[id(file.origins[id(mine)])] = self.credited(origin)

    def _follow_layout(self, file: _File, mine: Added) -> None:
        head = mine.head
        if mine.klass != "layout" or head is None or head.source is None or mine.line.kind == BLANK:
            return
        source = next(line for line in file.removed if line.line is head.source)
        if self._is_own(source.origin):
            self.credit[id(file.origins[id(mine)])] = self.credited(source.origin)

    def _claim(self, file: _File, mine: Added, waiting: list[Removed], *, is_last_first: bool) -> None:
        for theirs in reversed(waiting) if is_last_first else waiting:
            if mine.is_open and not theirs.is_claimed and is_same(theirs.line, mine.line):
                theirs.is_claimed = True
                self._pass_on(file, mine, theirs.origin)

    def _follow_reworded(self, files: dict[str, _File]) -> None:
        runs = [(p, f.old_path, f.language, f.gone_runs, f.runs) for p, f in files.items()]
        for path, found in reworded(runs):
            file = files[path]
            added = [mine for run in file.runs for mine in run]
            for at in found.kept:
                file.removed[at].is_claimed = True
            for at, (source, theirs) in found.added.items():
                origin = files[source].removed[theirs].origin
                if added[at].is_open and self._is_own(origin):
                    self._pass_on(file, added[at], origin)

    def _follow_copied(self, files: list[_File]) -> None:
        for by_shape, known in self._blocks.items():
            fresh: list[tuple[tuple[int, ...], list[Origin]]] = []
            for file in files:
                for run in file.runs:
                    for block in windows(run, by_shape=by_shape):
                        text = text_of(block, by_shape=by_shape)
                        fresh.append((text, [file.origins[id(mine)] for mine in block]))
                        for mine, origin in zip(block, known.get(text, ()), strict=False):
                            if mine.is_open:
                                self._pass_on(file, mine, origin)
            for text, origins in fresh:
                known.setdefault(text, origins)

    def _follow_replaced(self, added: list[tuple[_File, Added]]) -> None:
        for file, mine in added:
            if not mine.is_open or not mine.words:
                continue
            numbers = []
            for pair in mine.words:
                self._instances[pair] += 1
                numbers.append(self._instances[pair])
            theirs = mine.words_of
            assert theirs is not None
            if min(numbers) > 1 and self._is_own(theirs.origin):
                theirs.is_claimed = True
                self._pass_on(file, mine, theirs.origin)
