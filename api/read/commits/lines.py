"""The single lines of a file change: its classes as the build has them, for the lines that a clone has.

Keep out: reading the clone (api/http/clone_lines.py), because no build has lines.
"""

from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from api.access.row_access import RowAccess
from api.errors import NotFound
from api.query.parameters import Query
from api.read.commits.explanation import get_commit_file, row_number
from api.read.commits.hashes import commit_id, unknown_commit
from api.read.commits.line_matching import matched
from api.read.commits.line_shapes import MAX_LINES
from api.snapshot.build import Build, Row
from ingest.lines import DeliveredFile

NOT_DELIVERED, NO_CLONE, ELSEWHERE = "NOT_DELIVERED", "NO_CLONE", "ELSEWHERE"


class ExplanationQuery(Query):
    """The file of which single lines are wanted."""

    file: Annotated[
        str,
        Field(
            max_length=4096,
            description="Path of a file of the commit, as in `files.path`: `lines` has its changed lines. They are "
            "read from the clone on this machine, which takes a moment.",
            examples=["src/checkout/cart.py"],
        ),
    ] = ""


@dataclass(frozen=True, slots=True)
class WantedFile:
    """A file change: its commit and repository, and its row as the explanation of the commit has it."""

    sha: str
    repository_id: str
    file: Row


def wanted_file(build: Build, access: RowAccess, commit: str, path: str) -> WantedFile:
    """The file change of a commit. Raises `unknown_commit`, and NotFound for a path that the commit does not have."""
    wanted = commit_id(build, access, commit)
    place = row_number(build, access, wanted)
    if place is None:
        raise unknown_commit(access, commit)
    [row] = build.rows(
        f"select commit_sha, repository_id from {access.table(build, 'commits_by_time')} where position = {place}"
    )
    file = get_commit_file(build, access, wanted, path)
    if file is None:
        raise NotFound(
            f"the commit {commit!r} does not change {path!r}; …/commits/{commit}/files lists its files"
        )
    return WantedFile(row["commit_sha"], row["repository_id"], file)


def lines_of(wanted: WantedFile, found: DeliveredFile | str, *, shows_text: bool) -> Row:
    """The answer for a file change from what its clone has, or from the reason why it has nothing."""
    classes = wanted.file["lineClasses"]
    lines: list[Row] = []
    rest: list[Row] = list(classes)
    reason = found if isinstance(found, str) else None
    if isinstance(found, DeliveredFile):
        added = [line for line in found.added if line.commit == wanted.sha]
        removed = [line for line in found.removed if line.commit == wanted.sha]
        lines, rest = matched(added, removed, classes)
        reason = None if lines or not classes else ELSEWHERE
    shown = lines if len(lines) <= MAX_LINES else lines[:MAX_LINES]
    return {
        "path": wanted.file["path"],
        "deliverySha": wanted.file["deliverySha"],
        "missingReason": reason,
        "lines": [line if shows_text else line | {"text": None} for line in shown],
        "lineTotal": len(lines),
        "rest": rest,
        "linePointsMicros": wanted.file["linePointsMicros"],
        "removedPointsMicros": wanted.file["removedPointsMicros"],
    }
