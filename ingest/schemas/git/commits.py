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

COPYRIGHT = pa.struct(
    [
        pa.field("holder", pa.string()),
        pa.field("address", pa.string()),
        pa.field("is_author", pa.bool_()),
        pa.field("first_year", pa.int16()),
        pa.field("last_year", pa.int16()),
    ]
)

COMMITS = pa.schema(  # one row per commit
    [
        *SOURCE,
        text("commit_id", "UUIDv5 of organization and sha: the same commit in two repositories has one id."),
        text("commit_sha", "Object id."),
        field("parent_shas", pa.list_(pa.string()), "Parents in Git's order."),
        text("tree_sha", "Object id of the tree."),
        flag("is_merge", "True if the commit has two or more parents."),
        text(
            "author_name",
            "Name as Git shows it, with undecodable bytes replaced; empty where the line is malformed.",
        ),
        text("author_email", "Address as written, without angle brackets."),
        instant(
            "authored_at",
            "Author time, clamped to 1970-01-01 … 2100-01-01; an unreadable one is replaced by the committer time.",
        ),
        integer("author_offset_minutes", "UTC offset of the author as written, even if absurd."),
        text("committer_name", "As written."),
        text("committer_email", "As written."),
        instant(
            "committed_at",
            "Committer time, clamped like the author time; an unreadable one is replaced by the author time.",
        ),
        integer("committer_offset_minutes", "UTC offset of the committer as written."),
        flag("is_time_clamped", "True if one of the two times was outside the range or unreadable."),
        flag(
            "is_malformed",
            "True if Git cannot fully read the author or committer line; git/problems has the reason.",
        ),
        text("subject", "First paragraph of the message on one line."),
        text("body", "The rest of the message, trailers included."),
        field(
            "trailers",
            pa.list_(TRAILER),
            "Key/value lines of the last paragraph, in order, then co-authors whom the message names above it.",
        ),
        text("patch_id", "Result of `git patch-id --stable`; null if not computed.", nullable=True),
        integer("files_changed", "Number of rows of this commit in file_changes."),
        integer("lines_added", "Sum over file_changes."),
        integer("lines_deleted", "Sum over file_changes."),
        VERSION,
    ]
)

FILE_CHANGES = pa.schema(  # one row per commit × file; for a merge: files that differ from every parent
    [
        *SOURCE,
        text("commit_sha", "Commit."),
        text("parent_sha", "First parent, with which the commit is compared.", nullable=True),
        text("path", "Path after the change; for a deletion, the path before."),
        text("previous_path", "Path before a rename.", nullable=True),
        text("status", "A added, M modified, D deleted, R renamed, T type changed."),
        integer("similarity", "Similarity of a renamed file, 0 to 100.", nullable=True),
        text("old_blob", "Blob before.", nullable=True),
        text("new_blob", "Blob after.", nullable=True),
        *FILE_FACTS,
        integer("lines_added", "Added lines as in `git log --numstat -M`; 0 for binary files."),
        integer("lines_deleted", "Deleted lines as in `git log --numstat -M`; 0 for binary files."),
        integer("code_added", "Added lines with code."),
        integer("comment_added", "Added lines with comment or docstring only."),
        integer("blank_added", "Added blank lines."),
        integer("code_deleted", "Deleted lines with code."),
        integer("comment_deleted", "Deleted lines with comment or docstring only."),
        integer("blank_deleted", "Deleted blank lines."),
        integer(
            "lines_after", "Number of physical lines after the change; null for binary files.", nullable=True
        ),
        field("hunks", pa.list_(HUNK), "Zero-context hunks of the difference to parent_sha."),
        field(
            "other_parents",
            pa.list_(MERGE_SIDE),
            "For a merge: the hunks of the differences to its other parents.",
        ),
        field(
            "symbols", pa.list_(pa.string()), "Enclosing symbols of the hunks (Git's hunk headers), distinct."
        ),
        text(
            "skipped_reason",
            "Reason why the lines were not read: object_missing, object_corrupt, too_large or submodule.",
            nullable=True,
        ),
        text(
            "machine_evidence",
            "Words of the file, or a sentence about its lines, that say that a program wrote it.",
            nullable=True,
        ),
        field(
            "copyrights",
            pa.list_(COPYRIGHT),
            "Names in lines of copyright and of authors that the change adds at the top of a text: in lower case, without legal form and address, with the first and last year of the line.",
        ),
        text(
            "known_library",
            "Widely copied library that has most of the added lines, or that a manifest or title at the top of the tree names.",
            nullable=True,
        ),
        integer(
            "published_lines",
            "Of the compared lines those that the library may have published before the author day: in its first known version, or where the version before is older than that day. 0 for a name.",
            nullable=True,
        ),
        integer(
            "published_later_lines",
            "Of the compared lines those whose first known version came out on that day or later.",
            nullable=True,
        ),
        integer(
            "compared_lines",
            "About a quarter of the added lines of 20 signs that say more than a fact, each text once; 0 for a name.",
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
        text("trailer_key", "Key of the trailer that contains the reference.", nullable=True),
        text("path", "For code: path of the file with the added line.", nullable=True),
        text(
            "shape",
            "key (ABC-123), number (#45), qualified (owner/repo#45), gh (GH-45), ab (AB#45), url or sha.",
        ),
        text("reference", "Text as found."),
        text("target", "Normalized reference: upper-case key, number, owner/repo#number, or URL."),
        VERSION,
    ]
)
