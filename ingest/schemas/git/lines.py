"""Tables of delivered and removed lines, and of the lines around changes that may be fixes."""

import pyarrow as pa

from ingest.schemas.fields import field, flag, integer, text
from ingest.schemas.git.columns import FILE_FACTS, SOURCE, VERSION

DELIVERED_LINES = pa.struct(
    [
        pa.field("class", pa.string()),
        pa.field("original_class", pa.string()),
        pa.field("tokens", pa.int32()),
        pa.field("own_tokens", pa.int32()),
        pa.field("rank", pa.int32()),
        pa.field("in_test", pa.bool_()),
        pa.field("lines", pa.int32()),
    ]
)

SQUASHED_LINES = pa.struct(
    [
        pa.field("class", pa.string()),
        pa.field("tokens", pa.int32()),
        pa.field("rank", pa.int32()),
        pa.field("in_test", pa.bool_()),
        pa.field("lines", pa.int32()),
    ]
)

DEAD_LINES = pa.struct(
    [
        pa.field("class", pa.string()),
        pa.field("tokens", pa.int32()),
        pa.field("own_tokens", pa.int32()),
        pa.field("rank", pa.int32()),
        pa.field("in_test", pa.bool_()),
        pa.field("has_token_gone", pa.bool_()),
        pa.field("is_replaced", pa.bool_()),
        pa.field("is_alive_elsewhere", pa.bool_()),
        pa.field("lines", pa.int32()),
    ]
)

DELIVERED_FILE_LINES = pa.schema(  # one row per delivery × file × credited × birth × removal × replaced commit
    [
        *SOURCE,
        text("delivery_sha", "Object id of the delivery."),
        text("predecessor_sha", "Delivery before it; null for the first one.", nullable=True),
        text("path", "Path after the delivery; for a deletion, the path before."),
        text("previous_path", "Path before a rename.", nullable=True),
        text("status", "Change of the file by the delivery: A, M, D, R or T."),
        *FILE_FACTS,
        text(
            "content_hash",
            "Hash of the added and removed code lines of the file without context; null without code.",
            nullable=True,
        ),
        integer("novel_lines", "Novel code lines of the file in the whole delivery."),
        text(
            "credited_sha",
            "Credited commit: the commit that wrote the line; for lines of a merge itself, the merge. Where a commit "
            "of a branch only lays out, moves, brings back, copies or renames in lines of an earlier one, the earlier.",
        ),
        text(
            "birth_sha",
            "Commit that first wrote the line, as git blame names it. It differs from credited_sha where a removed "
            "line is restored, and where its commit has changed no more than how a line of its branch stands.",
        ),
        text("removal_sha", "For returned lines: the commit that had removed them.", nullable=True),
        text(
            "replaced_sha",
            "Commit that wrote the recent lines (< 14 days) that these lines replace. If it has the same developer, "
            "own_tokens count instead of tokens; they are 0 for a substituted line that keeps the credit of such a line.",
            nullable=True,
        ),
        text("copied_from", "For copied lines: path of a file that contains the block.", nullable=True),
        field(
            "lines",
            pa.list_(DELIVERED_LINES),
            "Histogram. class: layout, moved, returned, copied, substituted, comment, novel. original_class: for "
            "returned, the class at first delivery, else the class. tokens: new tokens 0–31 (capped) against all "
            "removed lines of the hunk; own_tokens: against its removed lines that are not fresh. rank: 1–10 "
            "(capped): rank of the shape; for substituted, the number of the replacement. in_test: inside a test "
            "construct of the language, in a file that is no test as a whole; for returned, at first delivery. lines: "
            "number of lines.",
        ),
        VERSION,
    ]
)

SQUASH_LINES = pa.schema(  # one row per squash × source commit × file
    [
        *SOURCE,
        text("squash_sha", "Object id of the delivered commit that brings the work of other commits."),
        text(
            "source_sha",
            "One of these commits, where the clone has them: those of the pull request that the message names, or of a "
            "branch that had the tree of the squash. Only where several people wrote them.",
        ),
        text("path", "Path after the squash; for a deletion, the path before."),
        *FILE_FACTS,
        integer(
            "removed_lines",
            "Lines of earlier deliveries that it removed first: those with tokens that weighed and are gone.",
        ),
        field(
            "lines",
            pa.list_(SQUASHED_LINES),
            "Histogram of the lines of the squash that have the credit of the source, as on a merged branch. class: "
            "substituted, comment or novel. tokens, rank and in_test as in delivered_lines; lines: number of lines.",
        ),
        VERSION,
    ]
)

LINE_DEATHS = pa.schema(  # one row per delivery × file × removing commit × commit of origin × commit of birth
    [
        *SOURCE,
        text("delivery_sha", "Object id of the delivery with the removal."),
        text("remover_sha", "First delivered commit that removed the lines, else the delivery itself."),
        text("path", "Path before the removal."),
        text("origin_sha", "Commit that `git blame` names for the lines at the parent of the removal."),
        text(
            "birth_sha",
            "Commit that wrote the lines: the origin; for moved, reformatted or restored lines, the commit that "
            "has their credit.",
        ),
        text("birth_delivery_sha", "Object id of the delivery of these lines."),
        *FILE_FACTS,
        flag("is_file_deleted", "True if the delivery deletes the whole file."),
        flag("is_revert", "True if the delivery or the removing commit is a revert by its message."),
        field(
            "lines",
            pa.list_(DEAD_LINES),
            "Histogram. class, tokens, own_tokens, rank and in_test at the delivery of the lines; has_token_gone: the hunk does "
            "not add back at least one token; is_replaced: the hunk also adds lines; is_alive_elsewhere: moved, or "
            "its block still stands elsewhere, or a substituted line keeps its credit; lines: number of lines.",
        ),
        VERSION,
    ]
)

FIX_CONTEXT = pa.schema(  # one row per delivery × commit that may be a fix × file × commit of origin
    [
        *SOURCE,
        text("delivery_sha", "Object id of the delivery of the commit."),
        text("commit_sha", "Object id of the commit. Its message hints at a fix, and it is no merge."),
        text("path", "Path before the change."),
        text("origin_sha", "Commit that `git blame` names for the lines around the change, at its parent."),
        field(
            "near_weight_micro",
            pa.int64(),
            "Sum of 1/distance, in millionths, over the lines of this commit that are at most four lines from a hunk. "
            "Removed lines and lines without a letter or digit are left out.",
        ),
        integer(
            "function_lines",
            "Lines of this commit in the functions that contain the hunks, including removed lines.",
        ),
        *FILE_FACTS,
        VERSION,
    ]
)
