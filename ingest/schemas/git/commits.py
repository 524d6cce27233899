"""Tables of commits, of the files they changed and of the references they make."""

import pyarrow as pa

from ingest.schemas.fields import field, flag, instant, integer, text
from ingest.schemas.git.columns import FILE_FACTS, SOURCE, VERSION

TRAILER = pa.struct([pa.field("key", pa.string()), pa.field("value", pa.string())])

HUNK = pa.struct([pa.field(n, pa.int32()) for n in ("old_start", "old_lines", "new_start", "new_lines")])

MERGE_SIDE = pa.struct(
    [
        pa.field("parent_sha", pa.string()),
        pa.field("path", pa.string()),
        pa.field("hunks", pa.list_(HUNK)),
    ]
)

COMMITS = pa.schema(  # one row per commit
    [
        *SOURCE,
        text("commit_id", "UUIDv5 of organization and sha: the same commit in two repositories has one id."),
        text("commit_sha", "Object id."),
        field("parent_shas", pa.list_(pa.string()), "Parents in Git's order."),
        text("tree_sha", "Object id of the tree."),
        flag("is_merge", "Two or more parents."),
        text(
            "author_name", "As Git shows it, undecodable bytes replaced; empty where the line is malformed."
        ),
        text("author_email", "As written, without angle brackets."),
        instant(
            "authored_at",
            "Author time, clamped to 1970-01-01 … 2100-01-01; the committer's where it is unreadable.",
        ),
        integer("author_offset_minutes", "Author's UTC offset as written, also when absurd."),
        text("committer_name", "As written."),
        text("committer_email", "As written."),
        instant(
            "committed_at",
            "Committer time, clamped like the author time; the author's where it is unreadable.",
        ),
        integer("committer_offset_minutes", "Committer's UTC offset as written."),
        flag("is_time_clamped", "One of the two times was outside the range, or unreadable."),
        flag("is_malformed", "Git cannot read the author or committer line in full; git/problems says why."),
        text("subject", "First paragraph of the message on one line."),
        text("body", "The rest of the message, trailers included."),
        field("trailers", pa.list_(TRAILER), "Key/value lines of the last paragraph, in order."),
        text("patch_id", "As `git patch-id --stable`, where computed.", nullable=True),
        integer("files_changed", "Rows of this commit in file_changes."),
        integer("lines_added", "Sum over file_changes."),
        integer("lines_deleted", "Sum over file_changes."),
        VERSION,
    ]
)

FILE_CHANGES = pa.schema(  # one row per commit × file; for a merge: files that differ from every parent
    [
        *SOURCE,
        text("commit_sha", "Commit."),
        text("parent_sha", "Parent that the change is measured against (the first).", nullable=True),
        text("path", "Path after the change (before it for a deletion)."),
        text("previous_path", "Path before a rename.", nullable=True),
        text("status", "A added, M modified, D deleted, R renamed, T type changed."),
        integer("similarity", "0–100 for a rename.", nullable=True),
        text("old_blob", "Blob before.", nullable=True),
        text("new_blob", "Blob after.", nullable=True),
        *FILE_FACTS,
        integer("lines_added", "As `git log --numstat -M`; 0 for binary files."),
        integer("lines_deleted", "As `git log --numstat -M`; 0 for binary files."),
        integer("code_added", "Added lines with code."),
        integer("comment_added", "Added lines with comment or docstring only."),
        integer("blank_added", "Added blank lines."),
        integer("code_deleted", "Deleted lines with code."),
        integer("comment_deleted", "Deleted lines with comment or docstring only."),
        integer("blank_deleted", "Deleted blank lines."),
        integer(
            "lines_after", "Physical lines after the change; null where the file is binary.", nullable=True
        ),
        field("hunks", pa.list_(HUNK), "Git's zero-context hunks against parent_sha."),
        field("other_parents", pa.list_(MERGE_SIDE), "For a merge: the hunks against its other parents."),
        field(
            "symbols", pa.list_(pa.string()), "Enclosing symbols of the hunks (Git's hunk headers), distinct."
        ),
        text(
            "skipped_reason",
            "Why lines were not read: object_missing, object_corrupt, too_large, submodule.",
            nullable=True,
        ),
        VERSION,
    ]
)

REFERENCES = pa.schema(  # one row per commit × reference × where it was found
    [
        *SOURCE,
        text("commit_sha", "Commit."),
        text("found_in", "subject, body, trailer, code or branch."),
        text("trailer_key", "Key of the trailer it was found in.", nullable=True),
        text("path", "File whose added line holds it, for code.", nullable=True),
        text(
            "shape",
            "key (ABC-123), number (#45), qualified (owner/repo#45), gh (GH-45), ab (AB#45), url or sha.",
        ),
        text("reference", "Text as found."),
        text("target", "Normalized: upper-case key, number, owner/repo#number, or URL."),
        VERSION,
    ]
)
