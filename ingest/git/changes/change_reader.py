"""Reader of the changes of one commit, file by file: the work of the extraction's worker processes.

A worker knows objects and texts but not the history: its task names the trees to compare. Results are plain and
picklable. Keep out: line ids, classes, anything that needs the order of commits.
"""

from __future__ import annotations

from collections.abc import Sequence

import pygit2

from ingest.errors import LimitExceeded
from ingest.git.changes.branch_changes import BranchChanges
from ingest.git.changes.commit_changes import CommitChanges, CommitTask, FileChange
from ingest.git.changes.file_description import FileDescriber
from ingest.git.changes.file_lines import FileLines
from ingest.git.changes.line_reading import count_changed, read_changed, skim_changed
from ingest.git.changes.native_reading import NativeReader, native_reader
from ingest.git.changes.rewording.conversions import ConvertedFiles
from ingest.git.changes.rewording.document_copies import DocumentCopies
from ingest.git.changes.rewording.document_lines import DocumentLines
from ingest.git.changes.rewording.extracted_texts import ExtractedTexts
from ingest.git.changes.rewording.quoted_code import QuotedCode
from ingest.git.changes.rewording.reformatting import ReformattedFiles
from ingest.git.changes.test_lines import TestLines
from ingest.git.diff.content_cache import Contents
from ingest.git.diff.context import REACH, surroundings
from ingest.git.diff.hunks import CONTEXT, Hunk, TextDiff, compare_texts, hunk_lines
from ingest.git.diff.renames import PathPair, is_submodule, pair_paths, rename_sources
from ingest.git.diff.texts import Text
from ingest.git.files.roles import SUBMODULE
from ingest.git.lexing.languages import LANGUAGES, UNKNOWN
from ingest.git.limits import DEFAULT_LIMITS, Limits
from ingest.git.messages.references import find_in_line, may_hold_reference
from ingest.git.objects.contents import ObjectProblem, Problem, corrupt
from ingest.git.objects.merge_plan import plan_merge
from ingest.git.objects.trees import Entry, TreeReader, decode_path


class ChangeReader:
    """Reads commits of one repository."""

    def __init__(
        self, repo: pygit2.Repository, *, verify_hashes: bool, limits: Limits = DEFAULT_LIMITS
    ) -> None:
        self._repo = repo
        self._contents = Contents(repo, verify_hashes=verify_hashes)
        self._trees = TreeReader(repo, verify_hashes=verify_hashes, limits=limits)
        self._native: NativeReader | None = native_reader()
        self._describer = FileDescriber(self._trees, self._contents)
        self._tests = TestLines(self._trees, self._contents)
        self._rewordings = (
            DocumentLines(self._contents),
            ConvertedFiles(self._contents),
            ReformattedFiles(self._contents),
            ExtractedTexts(self._contents),
        )
        self._copies = DocumentCopies(self._trees, self._contents, self._describer)
        self._quotes = QuotedCode(self._contents)
        self._branch = BranchChanges(self._describer, self._tests)
        self._written_at: int | None = None

    def read(self, task: CommitTask) -> CommitChanges:
        """Read all facts of one commit. Unreadable objects become problems. Raises LimitExceeded."""
        result = CommitChanges(task.sha)
        self._written_at = None if task.commit is None else task.commit.author.time
        tree = bytes.fromhex(task.tree)
        parents = [bytes.fromhex(t) for t in task.parent_trees]
        try:
            if len(parents) > 1:
                result.own = self._merge_changes(tree, parents, result)
                if task.net_against is not None:
                    net = pair_paths(self._repo, self._trees, bytes.fromhex(task.net_against), tree)
                    # Its references and problems belong to the commits that the merge delivers.
                    elsewhere = CommitChanges(task.sha)
                    result.net = [
                        self._branch.take(p, tree) or self._change(p, tree, elsewhere, delivered=True)
                        for p in net
                    ]
                    self._branch.clear()
                    self._mark_rewordings(net, result.net, tree)
            else:
                own = pair_paths(self._repo, self._trees, parents[0] if parents else None, tree)
                with_lines = task.with_lines or task.is_merged
                result.own = [self._change(p, tree, result, delivered=with_lines) for p in own]
                if task.is_merged:
                    self._remember(own, result.own, tree, with_lines=task.with_lines)
                if task.with_lines:
                    self._mark_rewordings(own, result.own, tree)
                if task.may_be_fix:
                    for pair, change in zip(own, result.own, strict=True):
                        self._surround(pair, change)
        except LimitExceeded as error:
            raise error.within(f"commit {task.sha}") from error
        except ObjectProblem as problem:
            self._give_up(task, result, problem)
        except (KeyError, pygit2.GitError) as error:
            self._give_up(task, result, corrupt(task.tree, b"tree", error))
        if task.blamed_trees:
            # After its changes, which refuse a merge beyond the limits of paths before they expand it.
            result.plan = plan_merge(self._trees, task.tree, task.blamed_trees)
        return result

    def _mark_rewordings(self, pairs: Sequence[PathPair], changes: Sequence[FileChange], tree: bytes) -> None:
        for rewordings in self._rewordings:
            rewordings.mark(pairs, changes)
        self._copies.mark(pairs, changes, tree)
        self._quotes.mark(pairs, changes)

    def _remember(
        self, pairs: Sequence[PathPair], changes: Sequence[FileChange], tree: bytes, *, with_lines: bool
    ) -> None:
        """Remember changes for the merge, and leave to the commit itself what its task requests."""
        for pair, change in zip(pairs, changes, strict=True):
            self._branch.add(pair, change, tree)
            if not with_lines:
                change.lines = change.content_hash = None

    def _give_up(self, task: CommitTask, result: CommitChanges, problem: ObjectProblem) -> None:
        """Record the problem: without its trees a commit has no known changes."""
        result.problems.append(Problem(None, problem.sha, problem.reason, str(problem)))
        result.own, result.net = [], [] if task.net_against is not None else None

    def _merge_changes(
        self, tree: bytes, parents: Sequence[bytes], result: CommitChanges
    ) -> list[FileChange]:
        """Files of a merge that differ from every parent, each compared with the first parent.

        If a parent lacks the file, the comparison takes the file that was renamed to it, as Git's blame does. So
        merging an edit into a renamed file writes no lines.
        """
        files = list(self._trees.merge_changes(tree, parents))
        renamed = [
            self._renamed(parent, tree, {path for path, entry, sides in files if entry and not sides[index]})
            for index, parent in enumerate(parents)
        ]
        changes = []
        for path, entry, sides in files:
            pairs = [
                renames.get(path) or PathPair(path if side else None, path if entry else None, side, entry)
                for side, renames in zip(sides, renamed, strict=True)
            ]
            change = self._change(pairs[0], tree, result, delivered=False)
            for index, pair in enumerate(pairs):
                if index and pair.old and pair.new and not change.skipped_reason:
                    hunks = self._hunks(pair.old, pair.new, change, result)
                    change.other_sides.append((index, decode_path(pair.old_path or path), hunks))
            changes.append(change)
        return changes

    def _renamed(self, parent: bytes, tree: bytes, paths: set[bytes]) -> dict[bytes, PathPair]:
        """The `paths` of `tree` that have another name in `parent`."""
        if not paths:
            return {}
        try:
            return rename_sources(self._repo, self._trees, parent, tree, paths)
        except (KeyError, pygit2.GitError):
            return {}  # an index takes neither damaged folders nor names such as `.git`

    def _hunks(self, old: Entry, new: Entry, change: FileChange, result: CommitChanges) -> list[Hunk]:
        try:
            before, after = self._contents.read(old), self._contents.read(new)
        except ObjectProblem as problem:
            return self._skip(change, problem, result).hunks
        if any(text is not None and text.is_binary for text in (before, after)):
            return [(0, 0, 1, change.lines_after)] if change.lines_after else []
        if self._native is not None and before is not None and after is not None:
            return self._native.hunks(self._contents.patch(before, after, 0, self._native.draw))
        return compare_texts(before, after, context=0).hunks

    def _change(self, pair: PathPair, tree: bytes, result: CommitChanges, *, delivered: bool) -> FileChange:
        change = FileChange(
            path=decode_path(pair.path),
            previous_path=decode_path(pair.old_path or b"") if pair.status == "R" else None,
            status=pair.status,
            similarity=pair.similarity,
            old_blob=pair.old[1].hex() if pair.old else None,
            new_blob=pair.new[1].hex() if pair.new else None,
        )
        if is_submodule(pair):
            change.skipped_reason, change.role = "submodule", SUBMODULE
            change.lines_added, change.lines_deleted = int(pair.new is not None), int(pair.old is not None)
            return change
        try:
            new = self._contents.read(pair.new, is_new=True)
        except ObjectProblem as problem:
            return self._skip(change, problem, result)
        try:
            old = self._contents.read(pair.old)
        except ObjectProblem as problem:
            change.lines_after = _count_lines(new)
            return self._skip(change, problem, result)
        is_open = self._describer.describe(change, new or old, tree)
        change.is_binary = any(text is not None and text.is_binary for text in (old, new))
        if change.is_binary:
            self._note_size(change, old, new, result)
        elif old is not None and new is not None and old.sha == new.sha:
            change.lines = FileLines() if delivered else None
        else:
            patch = self._read_text(change, old, new, result, delivered=delivered)
            if is_open and old is not None and new is not None:
                self._describer.judge_growth(change, new)
            if new is not None:
                self._describer.note_machine_parts(change, new, patch)
                self._describer.note_copyrights(change, new)
                if self._written_at is not None:
                    self._describer.note_library(change, new, self._written_at)
                self._tests.mark(change, new, tree)
        # Last, because comparing the texts already determined the number of lines.
        change.lines_after = _count_lines(new)
        return change

    def _note_size(
        self, change: FileChange, old: Text | None, new: Text | None, result: CommitChanges
    ) -> None:
        for text in (old, new):
            if text is not None and text.is_too_large:
                change.skipped_reason = "too_large"
                message = f"The file has {text.size} bytes: too many to be compared line by line."
                result.problems.append(Problem(change.path, text.sha, "too_large", message))

    def _read_text(
        self,
        change: FileChange,
        old: Text | None,
        new: Text | None,
        result: CommitChanges,
        *,
        delivered: bool,
    ) -> bytes | None:
        """Read the changed lines. Returns the patch, where the engine makes one of two versions."""
        is_tool_made = change.is_tool_made
        if self._native is not None:
            patch = (
                self._contents.patch(old, new, 0 if is_tool_made else CONTEXT, self._native.draw)
                if old is not None and new is not None
                else None
            )
            lines = self._native.read(change, patch, old, new, delivered=delivered, is_tool_made=is_tool_made)
            self._note_references(change, lines, result)
            return patch
        diff = compare_texts(old, new, 0 if is_tool_made else CONTEXT)
        change.hunks = diff.hunks
        change.symbols = list(dict.fromkeys(diff.symbols))
        change.lines_added, change.lines_deleted = hunk_lines(diff.hunks)
        if is_tool_made:
            found, change.counts = skim_changed(diff)
            change.lines = found if delivered else None
            return None
        language = LANGUAGES.get(change.language, UNKNOWN)
        if delivered:
            change.lines, change.counts, change.content_hash = read_changed(diff, language, old, new)
        else:
            change.counts = count_changed(diff, language, old, new)
        if not language.is_prose:
            self._find_references(change, diff, result)
        return None

    def _surround(self, pair: PathPair, change: FileChange) -> None:
        """Add the lines around the change, where both versions are code that people wrote."""
        is_read = bool(pair.old and pair.new and change.hunks) and not change.is_binary
        if (
            not is_read
            or change.is_tool_made
            or change.is_vendored
            or LANGUAGES.get(change.language, UNKNOWN).is_prose
        ):
            return
        old = self._contents.read(pair.old)
        if old is None:
            return
        if self._native is not None:
            change.surroundings = self._native.surroundings(old, change.hunks)
        else:
            last = max(start + count for start, count, _, _ in change.hunks)
            change.surroundings = surroundings(old.lines(last + REACH), change.hunks, old.count_lines())

    def _find_references(self, change: FileChange, diff: TextDiff, result: CommitChanges) -> None:
        for block in diff.blocks:
            lines = [block.new_lines[position] for position in block.new_changed]
            if not may_hold_reference(b"\n".join(lines)):
                continue
            for line in lines:
                if may_hold_reference(line):
                    self._note_references(change, [line], result)

    def _note_references(self, change: FileChange, lines: Sequence[bytes], result: CommitChanges) -> None:
        for line in lines:
            result.references.extend((change.path, reference) for reference in find_in_line(line))

    def _skip(self, change: FileChange, problem: ObjectProblem, result: CommitChanges) -> FileChange:
        change.skipped_reason = problem.reason
        result.problems.append(Problem(change.path, problem.sha, problem.reason, str(problem)))
        return change


def _count_lines(new: Text | None) -> int | None:
    """Lines of the new version, where it is text."""
    return None if new is None or new.is_binary else new.count_lines()
