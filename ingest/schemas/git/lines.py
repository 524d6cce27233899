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

DELIVERED_FILE_LINES = pa.schema(  # one row per delivery × file × credited × birth × removal × replaced commit
    [
        *SOURCE,
        text("delivery_sha", "Delivery."),
        text("predecessor_sha", "Mainline parent.", nullable=True),
        text("path", "Path after the delivery (before it for a deletion)."),
        text("previous_path", "Path before a rename.", nullable=True),
        text("status", "A, M, D, R or T: what the delivery did to the file."),
        *FILE_FACTS,
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
        VERSION,
    ]
)

LINE_DEATHS = pa.schema(  # one row per delivery × file × removing commit × commit of origin × commit of birth
    [
        *SOURCE,
        text("delivery_sha", "Delivery that carried the removal."),
        text("remover_sha", "First delivered commit that removed the lines, else the delivery itself."),
        text("path", "Path before the removal."),
        text("origin_sha", "Commit that `git blame` names for the lines at the parent of the removal."),
        text(
            "birth_sha",
            "Commit in which the lines were written: the origin, or for lines that were moved, laid out anew or "
            "restored the commit that earned their credit.",
        ),
        text("birth_delivery_sha", "Delivery that brought them."),
        *FILE_FACTS,
        flag("is_file_deleted", "The delivery deletes the whole file."),
        flag("is_revert", "The delivery or the remover is a marked revert."),
        field(
            "lines",
            pa.list_(DEAD_LINES),
            "Histogram. class, tokens, own_tokens and rank as at delivery of the birth; has_token_gone: at least "
            "one token is not added back in the hunk; is_replaced: the hunk also adds lines; is_alive_elsewhere: "
            "moved, or its block still stands elsewhere; lines: how many.",
        ),
        VERSION,
    ]
)

FIX_CONTEXT = pa.schema(  # one row per delivery × commit that may be a fix × file × commit of origin
    [
        *SOURCE,
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
        *FILE_FACTS,
        VERSION,
    ]
)
