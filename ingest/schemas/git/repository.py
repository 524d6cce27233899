"""Tables that each run rewrites: deliveries, refs and the state of the repository; and the problems it met."""

import pyarrow as pa

from ingest.schemas.fields import field, flag, instant, integer, text
from ingest.schemas.git.columns import SOURCE, VERSION

DELIVERIES = pa.schema(  # one row per step of the default branch along first parents; rewritten per run
    [
        *SOURCE,
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
        VERSION,
    ]
)

REFS = pa.schema(  # one row per ref; rewritten per run
    [
        *SOURCE,
        text("name", "Full name of the ref."),
        text("kind", "branch, remote_branch or tag."),
        text("head_sha", "Commit that it points at (tags peeled)."),
        flag("is_default", "The default branch."),
        VERSION,
    ]
)

REACHABILITY = pa.schema(  # one row per commit ever extracted; rewritten per run
    [
        *SOURCE,
        text("commit_sha", "Commit."),
        flag("from_default", "Reachable from the default branch."),
        flag("from_branch", "Reachable from any branch."),
        flag("from_tag", "Reachable from any tag."),
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
        flag("is_shallow", "History ends at a shallow boundary."),
        flag("is_partial", "A partial clone: blobs may be missing."),
        integer("commit_count", "Reachable commits."),
        integer("skipped_objects", "Rows of problems, without malformed commits, which are read."),
        integer("clamped_times", "Commits whose times were clamped."),
        VERSION,
    ]
)

MAILMAP_ENTRIES = pa.schema(  # one row per address, or address and name, in `.mailmap` at the default branch's head; rewritten per run
    [
        *SOURCE,
        text("commit_address", "Address in commits, as written; Git compares it without case."),
        text("commit_name", "Name in commits for which alone the entry holds.", nullable=True),
        text("proper_address", "Address of the person; null where the entry leaves it.", nullable=True),
        text("proper_name", "Name of the person; null where the entry leaves it.", nullable=True),
        VERSION,
    ]
)

PROBLEMS = pa.schema(  # one row per object that could not be read, or not in full
    [
        *SOURCE,
        text("commit_sha", "Commit in which it was met.", nullable=True),
        text("path", "File concerned.", nullable=True),
        text("object_sha", "Object concerned.", nullable=True),
        text("reason", "object_missing, object_corrupt, too_large or malformed."),
        text("message", "What happened and what to do."),
        VERSION,
    ]
)
