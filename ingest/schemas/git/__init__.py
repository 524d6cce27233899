"""Raw tables of `git` (one repository per source).

The first comment of each schema states its grain. Shas are 40 hex characters, instants UTC microseconds,
text is UTF-8 (undecodable bytes are replaced by U+FFFD; paths keep them as `\\xNN`).
"""

from ingest.schemas.git.commits import COMMITS, COPYRIGHT, FILE_CHANGES, HUNK, MERGE_SIDE, REFERENCES, TRAILER
from ingest.schemas.git.lines import (
    DEAD_LINES,
    DELIVERED_FILE_LINES,
    DELIVERED_LINES,
    FIX_CONTEXT,
    LINE_DEATHS,
    SQUASH_LINES,
    SQUASHED_LINES,
)
from ingest.schemas.git.repository import (
    DELIVERIES,
    MAILMAP_ENTRIES,
    PROBLEMS,
    REACHABILITY,
    REFS,
    REPOSITORY_RUNS,
)

__all__ = [
    "COMMITS", "COPYRIGHT", "DEAD_LINES", "DELIVERED_FILE_LINES", "DELIVERED_LINES", "DELIVERIES", "FILE_CHANGES", "FIX_CONTEXT",
    "HUNK", "LINE_DEATHS", "MAILMAP_ENTRIES", "MERGE_SIDE", "PROBLEMS", "REACHABILITY", "REFERENCES", "REFS",
    "REPOSITORY_RUNS", "SQUASHED_LINES", "SQUASH_LINES", "TABLES", "TRAILER",
]  # fmt: skip

TABLES = {
    "commits": COMMITS,
    "file_changes": FILE_CHANGES,
    "references": REFERENCES,
    "deliveries": DELIVERIES,
    "delivered_lines": DELIVERED_FILE_LINES,
    "line_deaths": LINE_DEATHS,
    "fix_context": FIX_CONTEXT,
    "squash_lines": SQUASH_LINES,
    "refs": REFS,
    "reachability": REACHABILITY,
    "repository_runs": REPOSITORY_RUNS,
    "mailmap_entries": MAILMAP_ENTRIES,
    "problems": PROBLEMS,
}
