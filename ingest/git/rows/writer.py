"""Facts of commits and files as rows of the raw tables, collected into batches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ingest.git.changes.commit_changes import CommitChanges, FileChange
from ingest.git.deliveries import Delivery
from ingest.git.identifiers import commit_id
from ingest.git.messages import merges, parse
from ingest.git.messages.mailmap import MailmapEntry
from ingest.git.messages.references import Reference, find_in_branch, find_in_message
from ingest.git.objects.commit_graph import Commit, clamp
from ingest.git.objects.contents import CORRUPT, MALFORMED, MISSING, Problem
from ingest.git.objects.refs import Ref
from ingest.git.rows.batch import Batch
from ingest.git.rows.histograms import DeliveryFacts
from ingest.lake.tables import Row
from ingest.schemas import git as schemas

EXTRACTOR_VERSION = "6"
"""Raised when facts change: everything is then extracted again."""

MICROSECONDS = 1_000_000
_DAY_WITHOUT_TIME = (
    " A time that cannot be read is the other person's; where both are unreadable, the commit counts as written on"
    " 1970-01-01, and as delivered with the one before it."
)


def read_message(commit: Commit) -> parse.Message:
    """The decoded message, split into subject, body and trailers."""
    return parse.split(parse.decode(commit.message, commit.encoding))


class RowWriter:
    """Turns facts of one repository into rows. Columns follow `ingest.schemas.git`."""

    def __init__(self, organization_id: str, repository_id: str) -> None:
        self._organization_id = organization_id
        self._source = (organization_id, repository_id)
        self._version = (EXTRACTOR_VERSION,)
        self.batch = Batch()

    def take(self) -> Batch:
        """The rows so far; the next batch is empty."""
        taken, self.batch = self.batch, Batch()
        return taken

    def add_commit(self, commit: Commit, changes: CommitChanges) -> None:
        rows = self.batch.rows
        message = read_message(commit)
        self.batch.add("commits", [self._commit_row(commit, message, changes)])
        self.batch.add("file_changes", (self._change_row(commit, change) for change in changes.own))
        for reference in find_in_message(message.subject, message.body, message.trailers):
            rows["references"].append(self._reference_row(commit.sha, None, reference))
        for path, reference in changes.references:
            rows["references"].append(self._reference_row(commit.sha, path, reference))
        if len(commit.parents) > 1:
            for branch in merges.merge_facts(message.subject, message.body).branches:
                rows["references"].extend(
                    self._reference_row(commit.sha, None, r) for r in find_in_branch(branch)
                )
        self.add_problems(commit.sha, [*self._malformed(commit), *changes.problems])
        self.batch.commits += 1
        self.batch.lines += sum(c.lines_added + c.lines_deleted for c in changes.own)

    def _malformed(self, commit: Commit) -> list[Problem]:
        """The lines of people that Git cannot read in full, as one problem of the commit."""
        if not commit.flaws:
            return []
        days = "" if commit.author.has_time and commit.committer.has_time else _DAY_WITHOUT_TIME
        message = f"The commit is read as Git reads it ({'; '.join(commit.flaws)}).{days}"
        return [Problem(None, commit.sha, MALFORMED, message)]

    def add_problems(self, sha: str | None, problems: Sequence[Problem]) -> None:
        self.batch.rows["problems"].extend(
            (*self._source, sha, p.path, p.object_sha, p.reason, p.message, *self._version) for p in problems
        )

    def unread_objects(self) -> list[str]:
        """Ids of the objects that the batch could not read."""
        found = self._problems()
        return [sha for sha, reason in found if sha and reason in (MISSING, CORRUPT)]

    def skipped_objects(self) -> int:
        """Number of problems of the batch, without malformed commits, whose facts are complete."""
        return sum(reason != MALFORMED for _, reason in self._problems())

    def _problems(self) -> list[tuple[str | None, str]]:
        """Object and reason of each problem of the batch."""
        rows = (dict(zip(schemas.PROBLEMS.names, row, strict=True)) for row in self.batch.rows["problems"])
        return [(row["object_sha"], row["reason"]) for row in rows]

    def add_delivered(self, delivery: Delivery, facts: DeliveryFacts) -> None:
        self.batch.add(
            "delivered_lines",
            (
                (
                    *self._source,
                    delivery.sha,
                    delivery.predecessor,
                    change.path,
                    change.previous_path,
                    change.status,
                    *_file_facts(change),
                    change.content_hash,
                    facts.novel[change.path],
                    *row,
                    *self._version,
                )
                for change, row in facts.added
            ),
        )

    def add_deaths(self, delivery: Delivery, facts: DeliveryFacts, reverting: set[str]) -> None:
        """Add rows of removed lines. `reverting` lists the commits whose messages declare a revert."""
        self.batch.add(
            "line_deaths",
            (
                (
                    *self._source,
                    delivery.sha,
                    remover,
                    change.previous_path or change.path,
                    *born,
                    *_file_facts(change),
                    change.status == "D",
                    delivery.sha in reverting or remover in reverting,
                    histogram,
                    *self._version,
                )
                for change, (remover, *born, histogram) in facts.removed
            ),
        )

    def add_fix_context(self, delivery: Delivery, sha: str, facts: Sequence[tuple[FileChange, Row]]) -> None:
        self.batch.add(
            "fix_context",
            (
                (
                    *self._source,
                    delivery.sha,
                    sha,
                    change.previous_path or change.path,
                    *row,
                    *_file_facts(change),
                    *self._version,
                )
                for change, row in facts
            ),
        )

    def deliveries(
        self, deliveries: Sequence[Delivery], commits: dict[str, Commit], refs: Sequence[Ref]
    ) -> list[Row]:
        by_head: dict[str, list[str]] = {}
        for ref in refs:
            if ref.kind not in ("tag", "review") and not ref.is_default:
                by_head.setdefault(ref.head_sha, []).append(_short_name(ref.name))
        return [self._delivery_row(d, commits, by_head) for d in deliveries]

    def _delivery_row(
        self, delivery: Delivery, commits: dict[str, Commit], by_head: dict[str, list[str]]
    ) -> Row:
        commit = commits[delivery.sha]
        message = read_message(commit)
        merge = merges.merge_facts(message.subject, message.body)
        carried = [*merge.branches, *(name for sha in delivery.commits for name in by_head.get(sha, ()))]
        kind = "merge" if len(commit.parents) > 1 else "squash" if merge.is_squash_hint else "direct"
        return (
            *self._source,
            delivery.sha,
            delivery.predecessor,
            delivery.position,
            kind,
            delivery.delivered_at * MICROSECONDS,
            list(dict.fromkeys(carried)),
            merge.pull_request,
            parse.is_revert(message.subject, message.body),
            delivery.is_unrelated_root,
            list(delivery.commits),
            list(delivery.unrelated),
            list(delivery.joining),
            *self._version,
        )

    def refs(self, refs: Sequence[Ref]) -> list[Row]:
        return [(*self._source, r.name, r.kind, r.head_sha, r.is_default, *self._version) for r in refs]

    def reachability(
        self, shas: Iterable[str], default: set[str], branches: set[str], tags: set[str], reviews: set[str]
    ) -> list[Row]:
        return [
            (*self._source, sha, sha in default, sha in branches, sha in tags, sha in reviews, *self._version)
            for sha in shas
        ]

    def mailmap_entries(self, entries: Sequence[MailmapEntry]) -> list[Row]:
        return [(*self._source, *entry, *self._version) for entry in entries]

    def _commit_row(self, commit: Commit, message: parse.Message, changes: CommitChanges) -> Row:
        return (
            *self._source,
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
            list(message.trailers),
            None,
            len(changes.own),
            sum(c.lines_added for c in changes.own),
            sum(c.lines_deleted for c in changes.own),
            *self._version,
        )

    def _change_row(self, commit: Commit, change: FileChange) -> Row:
        counts = change.counts
        return (
            *self._source,
            commit.sha,
            commit.parents[0] if commit.parents else None,
            change.path,
            change.previous_path,
            change.status,
            change.similarity,
            change.old_blob,
            change.new_blob,
            *_file_facts(change),
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
            *self._version,
        )

    def _reference_row(self, sha: str, path: str | None, reference: Reference) -> Row:
        return (
            *self._source,
            sha,
            reference.found_in,
            reference.trailer_key,
            path,
            reference.shape,
            reference.text,
            reference.target,
            *self._version,
        )


def _file_facts(change: FileChange) -> Row:
    return (
        change.language,
        change.role,
        change.is_binary,
        change.is_generated,
        change.is_vendored,
        change.is_minified,
    )


def _short_name(name: str) -> str:
    return name.removeprefix("refs/heads/").removeprefix("refs/remotes/origin/")
