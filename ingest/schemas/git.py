"""Raw tables of the noun `git` (one repository each).

Grain is the first comment of each schema. Shas are 40 hex characters, instants UTC microseconds,
text is UTF-8 (undecodable bytes are replaced by U+FFFD; paths keep them as `\\xNN`).
"""

import pyarrow as pa

from ingest.schemas.fields import field, flag, instant, integer, text

_SOURCE = [
    text("organization_id", "UUID of the organization."),
    text("repository_id", "UUIDv5 of the repository."),
]
_VERSION = text("extractor_version", "Version of the extractor that wrote the row.")

TRAILER = pa.struct([pa.field("key", pa.string()), pa.field("value", pa.string())])
HUNK = pa.struct([pa.field(n, pa.int32()) for n in ("old_start", "old_lines", "new_start", "new_lines")])
MERGE_SIDE = pa.struct(
    [
        pa.field("parent_sha", pa.string()),
        pa.field("path", pa.string()),
        pa.field("hunks", pa.list_(HUNK)),
    ]
)
DELIVERED_LINES = pa.struct(
    [
        pa.field("class", pa.string()),
        pa.field("original_class", pa.string()),
        pa.field("tokens", pa.int32()),
        pa.field("own_tokens", pa.int32()),
        pa.field("rank", pa.int32()),
        pa.field("lines", pa.int32()),
    ]
)
DEAD_LINES = pa.struct(
    [
        pa.field("class", pa.string()),
        pa.field("tokens", pa.int32()),
        pa.field("own_tokens", pa.int32()),
        pa.field("rank", pa.int32()),
        pa.field("has_token_gone", pa.bool_()),
        pa.field("is_replaced", pa.bool_()),
        pa.field("is_alive_elsewhere", pa.bool_()),
        pa.field("lines", pa.int32()),
    ]
)

_FILE_FACTS = [
    text("language", "Language by name or shebang, `unknown` otherwise."),
    text("role", "source, test, documentation, build, configuration, lock or data; by path rules."),
    flag("is_binary", "Git sees binary content, or the file is too large to compare."),
    flag("is_generated", "Marked by `.gitattributes`, a content marker or a path rule."),
    flag("is_vendored", "Marked by `.gitattributes` or a path rule."),
    flag("is_minified", "Minified by name or by line length."),
]

COMMITS = pa.schema(  # one row per commit
    [
        *_SOURCE,
        text("commit_id", "UUIDv5 of organization and sha: the same commit in two repositories has one id."),
        text("commit_sha", "Object id."),
        field("parent_shas", pa.list_(pa.string()), "Parents in Git's order."),
        text("tree_sha", "Object id of the tree."),
        flag("is_merge", "Two or more parents."),
        text("author_name", "As written, undecodable bytes replaced."),
        text("author_email", "As written, without angle brackets."),
        instant("authored_at", "Author time, clamped to 1970-01-01 … 2100-01-01."),
        integer("author_offset_minutes", "Author's UTC offset as written, also when absurd."),
        text("committer_name", "As written."),
        text("committer_email", "As written."),
        instant("committed_at", "Committer time, clamped like the author time."),
        integer("committer_offset_minutes", "Committer's UTC offset as written."),
        flag("is_time_clamped", "One of the two times was outside the range."),
        text("subject", "First paragraph of the message on one line."),
        text("body", "The rest of the message, trailers included."),
        field("trailers", pa.list_(TRAILER), "Key/value lines of the last paragraph, in order."),
        text("patch_id", "As `git patch-id --stable`, where computed.", nullable=True),
        integer("files_changed", "Rows of this commit in file_changes."),
        integer("lines_added", "Sum over file_changes."),
        integer("lines_deleted", "Sum over file_changes."),
        _VERSION,
    ]
)

FILE_CHANGES = pa.schema(  # one row per commit × file; for a merge: files that differ from every parent
    [
        *_SOURCE,
        text("commit_sha", "Commit."),
        text("parent_sha", "Parent that the change is measured against (the first).", nullable=True),
        text("path", "Path after the change (before it for a deletion)."),
        text("previous_path", "Path before a rename.", nullable=True),
        text("status", "A added, M modified, D deleted, R renamed, T type changed."),
        integer("similarity", "0–100 for a rename.", nullable=True),
        text("old_blob", "Blob before.", nullable=True),
        text("new_blob", "Blob after.", nullable=True),
        *_FILE_FACTS,
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
        _VERSION,
    ]
)

REFERENCES = pa.schema(  # one row per commit × reference × where it was found
    [
        *_SOURCE,
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
        _VERSION,
    ]
)

DELIVERIES = pa.schema(  # one row per step of the default branch along first parents; rewritten per run
    [
        *_SOURCE,
        text("delivery_sha", "Commit on the mainline."),
        text("predecessor_sha", "Mainline parent; null for the root.", nullable=True),
        integer("position", "0 for the root of the mainline, then 1, 2, …"),
        text("kind", "direct, merge, or squash where the message says so."),
        instant("delivered_at", "Mainline time: running maximum of committer times, absurd values skipped."),
        field("branch_names", pa.list_(pa.string()), "Branches that carried it, from merge messages."),
        text("pull_request", "Number of the pull request that the message names.", nullable=True),
        flag("is_revert", "The message says that it reverts (a marked revert)."),
        flag("is_unrelated_root", "It merges a history without common ancestor."),
        field("commit_shas", pa.list_(pa.string()), "Commits delivered, itself included, parents first."),
        field(
            "unrelated_shas",
            pa.list_(pa.string()),
            "Those of them that share no ancestor with the mainline before, parents first.",
        ),
        field("joining_shas", pa.list_(pa.string()), "The merges that join those to it, parents first."),
        _VERSION,
    ]
)

DELIVERED_FILE_LINES = pa.schema(  # one row per delivery × file × credited × birth × removal × replaced commit
    [
        *_SOURCE,
        text("delivery_sha", "Delivery."),
        text("predecessor_sha", "Mainline parent.", nullable=True),
        text("path", "Path after the delivery (before it for a deletion)."),
        text("previous_path", "Path before a rename.", nullable=True),
        text("status", "A, M, D, R or T: what the delivery did to the file."),
        *_FILE_FACTS,
        text(
            "content_hash",
            "Hash of the added and removed code lines of the file without context; null without code.",
            nullable=True,
        ),
        integer("novel_lines", "Novel code lines of the whole delivery × file."),
        text(
            "credited_sha",
            "Commit that gets the credit: where an added line was born; the merge for its own lines.",
        ),
        text(
            "birth_sha",
            "Commit in which the line was first written; differs from credited_sha where a removed line is restored.",
        ),
        text("removal_sha", "For returned lines: the commit whose removal they claim.", nullable=True),
        text(
            "replaced_sha",
            "Commit of birth of fresh lines (< 14 days) that the lines replace: if it has the same developer, "
            "own_tokens count instead of tokens.",
            nullable=True,
        ),
        text("copied_from", "For copied lines: a path in which the block stands.", nullable=True),
        field(
            "lines",
            pa.list_(DELIVERED_LINES),
            "Histogram. class: layout, moved, returned, copied, substituted, comment, novel. original_class: for "
            "returned, the class at first delivery, else the class. tokens: new tokens 0–31 (capped) against all "
            "removed lines of the hunk; own_tokens: against its removed lines that are not fresh. rank: 1–10 "
            "(capped): shape rank, for substituted the instance. lines: how many.",
        ),
        _VERSION,
    ]
)

LINE_DEATHS = pa.schema(  # one row per delivery × file × removing commit × commit of origin × commit of birth
    [
        *_SOURCE,
        text("delivery_sha", "Delivery that carried the removal."),
        text("remover_sha", "First delivered commit that removed the lines, else the delivery itself."),
        text("path", "Path before the removal."),
        text("origin_sha", "Commit that `git blame` names for the lines at the parent of the removal."),
        text(
            "birth_sha",
            "Commit in which the lines were written: the origin, or of lines that were moved, laid out anew or "
            "restored the commit that they had their credit from.",
        ),
        text("birth_delivery_sha", "Delivery that brought them."),
        *_FILE_FACTS,
        flag("is_file_deleted", "The delivery deletes the whole file."),
        flag("is_revert", "The delivery or the remover is a marked revert."),
        field(
            "lines",
            pa.list_(DEAD_LINES),
            "Histogram. class, tokens, own_tokens and rank as at delivery of the birth; has_token_gone: at least "
            "one token is not added back in the hunk; is_replaced: the hunk also adds lines; is_alive_elsewhere: "
            "moved, or its block still stands elsewhere; lines: how many.",
        ),
        _VERSION,
    ]
)

FIX_CONTEXT = pa.schema(  # one row per delivery × commit that may be a fix × file × commit of origin
    [
        *_SOURCE,
        text("delivery_sha", "Delivery that carried the commit."),
        text("commit_sha", "Commit whose message hints at a fix; no merge."),
        text("path", "Path before the change."),
        text("origin_sha", "Commit that `git blame` names for the lines around the change, at its parent."),
        field(
            "near_weight_micro",
            pa.int64(),
            "Sum of 1/distance, in millionths, over its lines within four of a hunk; lines without a letter or digit "
            "and removed ones are left out.",
        ),
        integer(
            "function_lines", "Its lines in the functions in which the hunks lie, removed ones included."
        ),
        *_FILE_FACTS,
        _VERSION,
    ]
)

REFS = pa.schema(  # one row per ref; rewritten per run
    [
        *_SOURCE,
        text("name", "Full name of the ref."),
        text("kind", "branch, remote_branch or tag."),
        text("head_sha", "Commit that it points at (tags peeled)."),
        flag("is_default", "The default branch."),
        _VERSION,
    ]
)

REACHABILITY = pa.schema(  # one row per commit ever extracted; rewritten per run
    [
        *_SOURCE,
        text("commit_sha", "Commit."),
        flag("from_default", "Reachable from the default branch."),
        flag("from_branch", "Reachable from any branch."),
        flag("from_tag", "Reachable from any tag."),
        _VERSION,
    ]
)

REPOSITORY_RUNS = pa.schema(  # one row: the state of the repository at the last run; rewritten per run
    [
        *_SOURCE,
        text("name", "Display name."),
        text("origin", "Normalized origin URL without credentials, or the local path."),
        text("default_branch", "Short name of the default branch."),
        text("head_sha", "Head of the default branch."),
        flag("is_shallow", "History ends at a shallow boundary."),
        flag("is_partial", "A partial clone: blobs may be missing."),
        integer("commit_count", "Reachable commits."),
        integer("skipped_objects", "Rows of problems."),
        integer("clamped_times", "Commits whose times were clamped."),
        _VERSION,
    ]
)

MAILMAP_ENTRIES = pa.schema(  # one row per address, or address and name, in `.mailmap` at the default branch's head; rewritten per run
    [
        *_SOURCE,
        text("commit_address", "Address in commits, as written; Git compares it without case."),
        text("commit_name", "Name in commits for which alone the entry holds.", nullable=True),
        text("proper_address", "Address of the person; null where the entry leaves it.", nullable=True),
        text("proper_name", "Name of the person; null where the entry leaves it.", nullable=True),
        _VERSION,
    ]
)

PROBLEMS = pa.schema(  # one row per object that could not be read
    [
        *_SOURCE,
        text("commit_sha", "Commit in which it was met.", nullable=True),
        text("path", "File concerned.", nullable=True),
        text("object_sha", "Object concerned.", nullable=True),
        text("reason", "object_missing, object_corrupt, too_large, bad_encoding or bad_time."),
        text("message", "What happened and what to do."),
        _VERSION,
    ]
)

TABLES = {
    "commits": COMMITS,
    "file_changes": FILE_CHANGES,
    "references": REFERENCES,
    "deliveries": DELIVERIES,
    "delivered_lines": DELIVERED_FILE_LINES,
    "line_deaths": LINE_DEATHS,
    "fix_context": FIX_CONTEXT,
    "refs": REFS,
    "reachability": REACHABILITY,
    "repository_runs": REPOSITORY_RUNS,
    "mailmap_entries": MAILMAP_ENTRIES,
    "problems": PROBLEMS,
}
