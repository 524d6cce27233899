"""Tables that each run rewrites: deliveries, refs and the state of the repository; and the problems of reading."""

import pyarrow as pa

from ingest.schemas.fields import field, flag, instant, integer, text
from ingest.schemas.git.columns import SOURCE, VERSION

DELIVERIES = (
    pa.schema(  # one row per delivery: a commit of the default branch along first parents; rewritten per run
        [
            *SOURCE,
            text(
                "delivery_sha",
                "Object id of the delivery: a commit of the default branch along first parents.",
            ),
            text("predecessor_sha", "Delivery before it; null for the first one.", nullable=True),
            integer("position", "Position on the default branch, from 0."),
            text("kind", "direct, merge, or squash (by its message)."),
            instant(
                "delivered_at",
                "Time of the delivery: running maximum of committer times without impossible ones.",
            ),
            field(
                "branch_names", pa.list_(pa.string()), "Names of the merged branches, from merge messages."
            ),
            text("pull_request", "Number of the pull request that the message names.", nullable=True),
            flag("is_revert", "True for a revert by its message."),
            flag("is_unrelated_root", "True if the delivery merges a history without a common ancestor."),
            field(
                "commit_shas",
                pa.list_(pa.string()),
                "Delivered commits with the delivery itself, parents first.",
            ),
            field(
                "unrelated_shas",
                pa.list_(pa.string()),
                "Delivered commits without a common ancestor with the earlier default branch, parents first.",
            ),
            field(
                "joining_shas",
                pa.list_(pa.string()),
                "Merges that join these commits to the default branch, parents first.",
            ),
            field(
                "upstream_shas",
                pa.list_(pa.string()),
                "Delivered commits that a merge says to come from the parent of a fork, parents first.",
            ),
            integer(
                "upstream_base",
                "Position of the last earlier delivery that the merged side of such a merge contains.",
                nullable=True,
            ),
            VERSION,
        ]
    )
)

REFS = pa.schema(  # one row per ref; rewritten per run
    [
        *SOURCE,
        text("name", "Full name of the ref."),
        text("kind", "branch, remote_branch, tag or review (the head of a merged pull request)."),
        text("head_sha", "Object id of the commit to which the ref leads (tags are peeled)."),
        flag("is_default", "True for the default branch."),
        VERSION,
    ]
)

REACHABILITY = pa.schema(  # one row per commit ever extracted; rewritten per run
    [
        *SOURCE,
        text("commit_sha", "Object id of the commit."),
        flag("from_default", "True if the default branch reaches the commit."),
        flag("from_branch", "True if a branch reaches the commit."),
        flag("from_tag", "True if a tag reaches the commit."),
        flag("from_review", "True if the head of a merged pull request reaches the commit."),
        flag("from_upstream", "True if a branch of the parent of the fork reaches the commit."),
        VERSION,
    ]
)

REPOSITORY_RUNS = pa.schema(  # one row: the state of the repository at the last run; rewritten per run
    [
        *SOURCE,
        text("name", "Display name."),
        text("origin", "Normalized remote URL without credentials, or the local path."),
        text("default_branch", "Short name of the default branch."),
        text("head_sha", "Head of the default branch."),
        flag("is_shallow", "True for a shallow clone: the history ends at its boundary."),
        flag("is_partial", "True for a partial clone: blobs may be missing."),
        integer("commit_count", "Number of commits that a branch or tag reaches."),
        integer("skipped_objects", "Number of rows of problems, without malformed commits (these are read)."),
        integer("clamped_times", "Number of commits with clamped times."),
        integer(
            "misdated_deliveries",
            "Number of deliveries with an impossible committer time, which have that of their neighbours.",
        ),
        VERSION,
    ]
)

MAILMAP_ENTRIES = pa.schema(  # one row per address, or address and name, in `.mailmap` at the default branch's head; rewritten per run
    [
        *SOURCE,
        text("commit_address", "Address in commits, as written. Git ignores its case."),
        text("commit_name", "Only name to which the entry applies; null for all names.", nullable=True),
        text("proper_address", "Proper address; null where the entry does not change it.", nullable=True),
        text("proper_name", "Proper name; null where the entry does not change it.", nullable=True),
        VERSION,
    ]
)

PROBLEMS = pa.schema(  # one row per object that could not be read, or not in full
    [
        *SOURCE,
        text("commit_sha", "Commit with the problem; null for a problem of the repository.", nullable=True),
        text("path", "Path of the file with the problem.", nullable=True),
        text("object_sha", "Id of the object with the problem.", nullable=True),
        text("reason", "Kind of problem: object_missing, object_corrupt, too_large or malformed."),
        text("message", "Description of the problem, and the remedy."),
        VERSION,
    ]
)
