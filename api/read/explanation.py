"""One commit explained: per file and line class what made its value, in integers that add up to it.

Keep out: the list (commits.py). Amounts named `…Micros` are integer millionths, as they are stored and summed.
"""

import re
import uuid
from typing import Any

from api.paging import Position
from api.read.columns import Column, Kind, columns, select_list
from api.read.commits import COLUMNS
from api.read.ordering import Condition, Term
from api.read.pages import Page, page
from api.read.scope import Scope
from api.warehouse import Build, Row

# With one commit as many files are shown; the rest is a page of its files away.
FILES_SHOWN = 1000

_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")

_EXPLANATION = Column("explanation", Kind.TEXT, "explanation", nullable=True)

FILE_COLUMNS = columns(
    Column("path", Kind.TEXT, "path"),
    Column("previous_path", Kind.TEXT, "previous_path", nullable=True),
    Column("delivery_sha", Kind.TEXT, "delivery_sha", nullable=True),
    Column("status", Kind.ENUM, "status"),
    Column("language", Kind.TEXT, "language", nullable=True),
    Column("role", Kind.ENUM, "role", nullable=True),
    Column("zero_reason", Kind.ENUM, "zero_reason", nullable=True),
    Column("category", Kind.ENUM, "category", nullable=True),
    Column("category_method", Kind.TEXT, "category_method", nullable=True),
    Column("category_confidence", Kind.NUMBER, "category_confidence", nullable=True),
    Column("category_evidence", Kind.TEXT, "category_evidence", nullable=True),
    Column("copied_from", Kind.TEXT, "copied_from", nullable=True),
    Column("etv", Kind.MICRO, "etv_micro"),
    Column("line_points_micros", Kind.INTEGER, "line_points_micro"),
    Column("removed_points_micros", Kind.INTEGER, "removed_points_micro"),
    Column("file_bonus_micros", Kind.INTEGER, "file_bonus_micro"),
    Column("role_factor_micros", Kind.INTEGER, "role_factor_micro"),
    Column("points_micros", Kind.INTEGER, "points_micro"),
    Column("effort_micros", Kind.INTEGER, "effort_micro"),
    Column("architecture_factor_micros", Kind.INTEGER, "architecture_factor_micro"),
    Column("multiplier_micros", Kind.INTEGER, "multiplier_micro"),
    Column("etv_micros", Kind.INTEGER, "etv_micro"),
    Column("line_classes", Kind.LIST, "line_classes", sortable=False),
)
_BY_PATH = (
    Term(FILE_COLUMNS["path"], False),
    Term(FILE_COLUMNS["deliverySha"], False),
)
_CREDITS = columns(
    Column("developer_id", Kind.TEXT, "developer_id"),
    Column("developer_name", Kind.TEXT, "name", nullable=True),
    Column("role", Kind.ENUM, "role"),
    Column("share", Kind.MICRO, "share_micro"),
    Column("etv", Kind.MICRO, "etv_micro"),
    Column("effort", Kind.MICRO, "effort_micro"),
)
_EVIDENCE = columns(
    Column("tool", Kind.TEXT, "tool"),
    Column("role", Kind.ENUM, "role"),
    Column("signal", Kind.ENUM, "signal"),
    Column("matched_text", Kind.TEXT, "matched_text"),
    Column("confidence", Kind.NUMBER, "confidence"),
)


def commit_id(scope: Scope, id_or_sha: str) -> str:
    """The id of a commit given by id or by full SHA: an id is derived from organization and SHA."""
    wanted = id_or_sha.lower()
    if _SHA.fullmatch(wanted):
        return str(uuid.uuid5(uuid.UUID(scope.organization_id), f"commit:{wanted}"))
    return wanted


def one_commit(build: Build, scope: Scope, wanted: str) -> Row | None:
    """The commit of this id with files, credits and AI evidence, or None."""
    shown = [*COLUMNS.values(), _EXPLANATION]
    rows = build.rows(
        f"select {select_list(shown)} from {scope.table('commits_by_id')} where commit_id = ?", [wanted]
    )
    if not rows:
        return None
    found = rows[0]
    files = commit_files(build, scope, wanted, FILES_SHOWN, None)
    found["files"] = files.rows
    found["fileTotal"] = files.total
    found["credits"] = build.rows(
        f"select {select_list(_CREDITS.values())} from {scope.table('commit_credits')} as credits "
        f"left join {scope.table('developers')} as developers using (developer_id) "
        "where commit_id = ? order by credits.etv_micro desc, developer_id",
        [wanted],
    )
    found["aiEvidence"] = build.rows(
        f"select {select_list(_EVIDENCE.values())} from {scope.table('commit_ai_evidence')} where commit_id = ? "
        "order by tool, role, signal, matched_text",
        [wanted],
    )
    return found


def commit_files(build: Build, scope: Scope, wanted: str, limit: int, position: Position | None) -> Page:
    """File changes of a commit by path, each with the line classes that its points are made of."""
    found = page(
        build,
        source=Condition(scope.table("commit_files")),
        shown=FILE_COLUMNS.values(),
        condition=Condition("commit_id = ?", (wanted,)),
        terms=_BY_PATH,
        limit=limit,
        position=position,
    )
    for row in found.rows:
        row["lineClasses"] = [_line_class(entry) for entry in row["lineClasses"] or []]
    return found


def _line_class(entry: dict[str, Any]) -> dict[str, Any]:
    original = entry["original_class"]
    return {
        "class": entry["class"].upper(),
        "originalClass": original.upper() if original else None,
        "tokens": entry["tokens"],
        "rank": entry["rank"],
        "lines": entry["lines"],
        "weightMicros": entry["weight_micro"],
        "pointsMicros": entry["points_micro"],
        "note": entry["note"],
    }
