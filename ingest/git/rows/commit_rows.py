"""Rows of one commit, which the worker that reads it makes: its facts, changed files, references and problems.

They lack the columns that are the same everywhere: the ids of the source first, the extractor's version last. Keep
out: tables (`packed_rows`), rows of deliveries (`writer`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ingest.git.changes.commit_changes import CommitChanges, FileChange
from ingest.git.identifiers import commit_id
from ingest.git.messages import merges, parse
from ingest.git.messages.references import Reference, find_in_branch, find_in_message
from ingest.git.objects.commit_graph import Commit, clamp
from ingest.git.objects.contents import MALFORMED, Problem
from ingest.git.rows.packed_rows import pack

Row = tuple[Any, ...]

EXTRACTOR_VERSION = "32"
"""Raised when facts change: everything is then extracted again."""

MICROSECONDS = 1_000_000
_NO_LIBRARY = (None, None, None, None)
_DAY_WITHOUT_TIME = (
    " A time that cannot be read is the other person's; where both are unreadable, the commit counts as written on"
    " 1970-01-01, and as delivered with the one before it."
)


def read_message(commit: Commit) -> parse.Message:
    """The decoded message, split into subject, body and trailers."""
    return parse.split(parse.decode(commit.message, commit.encoding))


class CommitRows:
    """Turns facts of commits of one repository into rows. Columns follow `ingest.schemas.git`."""

    def __init__(self, organization_id: str) -> None:
        self._organization_id = organization_id

    def describe(self, commit: Commit, changes: CommitChanges) -> None:
        """Set the rows of a commit, and whether it is a revert by its message."""
        message = read_message(commit)
        references = [
            self._reference_row(commit.sha, None, reference)
            for reference in find_in_message(message.subject, message.body, message.trailers)
        ]
        references += [self._reference_row(commit.sha, path, found) for path, found in changes.references]
        if len(commit.parents) > 1:
            for branch in merges.merge_facts(message.subject, message.body).branches:
                references += [self._reference_row(commit.sha, None, r) for r in find_in_branch(branch)]
        problems = [*self._malformed(commit), *changes.problems]
        changes.problem_rows = [problem_row(commit.sha, problem) for problem in problems]
        changes.rows = {
            "commits": [self._commit_row(commit, message, changes)],
            "file_changes": [self._change_row(commit, change) for change in changes.own],
            "references": references,
        }
        changes.is_revert = parse.is_revert(message.subject, message.body)

    def pack(self, results: Sequence[CommitChanges]) -> None:
        """Pack the rows of neighbouring commits."""
        pack(results)

    def _malformed(self, commit: Commit) -> list[Problem]:
        """The lines of people that Git cannot read in full, as one problem of the commit."""
        if not commit.flaws:
            return []
        days = "" if commit.author.has_time and commit.committer.has_time else _DAY_WITHOUT_TIME
        message = f"The commit is read as Git reads it ({'; '.join(commit.flaws)}).{days}"
        return [Problem(None, commit.sha, MALFORMED, message)]

    def _commit_row(self, commit: Commit, message: parse.Message, changes: CommitChanges) -> Row:
        return (
            commit_id(self._organization_id, commit.sha),
            commit.sha,
            list(commit.parents),
            commit.tree,
            len(commit.parents) > 1,
            parse.decode(commit.author.name, commit.encoding),
            parse.decode(commit.author.email, commit.encoding),
            clamp(commit.author.time) * MICROSECONDS,
            commit.author.offset,
            parse.decode(commit.committer.name, commit.encoding),
            parse.decode(commit.committer.email, commit.encoding),
            clamp(commit.committer.time) * MICROSECONDS,
            commit.committer.offset,
            commit.is_time_clamped,
            bool(commit.flaws),
            message.subject,
            message.body,
            [*message.trailers, *parse.named_co_authors(message)],
            None,
            len(changes.own),
            sum(c.lines_added for c in changes.own),
            sum(c.lines_deleted for c in changes.own),
        )

    def _change_row(self, commit: Commit, change: FileChange) -> Row:
        counts = change.counts
        return (
            commit.sha,
            commit.parents[0] if commit.parents else None,
            change.path,
            change.previous_path,
            change.status,
            change.similarity,
            change.old_blob,
            change.new_blob,
            *file_facts(change),
            change.lines_added,
            change.lines_deleted,
            counts.code_added,
            counts.comment_added,
            counts.blank_added,
            counts.code_deleted,
            counts.comment_deleted,
            counts.blank_deleted,
            change.lines_after,
            change.hunks,
            [(commit.parents[index], path, hunks) for index, path, hunks in change.other_sides],
            change.symbols,
            change.skipped_reason,
            change.machine_evidence,
            change.copyrights,
            *(change.library or _NO_LIBRARY),
        )

    def _reference_row(self, sha: str, path: str | None, reference: Reference) -> Row:
        return (
            sha,
            reference.found_in,
            reference.trailer_key,
            path,
            reference.shape,
            reference.text,
            reference.target,
        )


def problem_row(sha: str | None, problem: Problem) -> Row:
    """The row of a problem of a commit, or of the repository where `sha` is None."""
    return sha, problem.path, problem.object_sha, problem.reason, problem.message


def file_facts(change: FileChange) -> Row:
    """The columns that say what kind of file it is."""
    return (
        change.language,
        change.role,
        change.is_binary,
        change.is_generated,
        change.is_vendored,
        change.is_minified,
    )
