"""The explanation of one commit: per file and line class, integers that add up to its score.

Amounts named `…Micros` are integer millionths, as they are stored and summed. Keep out: the list (commits.py).
"""

from api.access.row_access import RowAccess
from api.query.columns import Column, Kind, columns, select_list
from api.query.conditions import Condition, one_of
from api.query.fields import columns_of
from api.query.ordering import Term
from api.query.pages import Page, Position, page
from api.query.parameters import PageQuery
from api.read.alignment.issue_shapes import CommitIssue
from api.read.commits.hashes import commit_id, unknown_commit
from api.read.commits.line_shapes import LineClass
from api.read.commits.shapes import AiEvidence, CommitFile, Credit, ExplainedCommit, LikelyOrigin
from api.snapshot.build import Build, Row

# Limit of files in the answer for one commit. The list of its files has the others.
FILES_SHOWN = 1000

# Git's letters, by name.
STATUSES = {"A": "ADDED", "C": "COPIED", "D": "DELETED", "M": "MODIFIED", "R": "RENAMED", "T": "TYPE_CHANGED"}

_EXPLAINED = columns_of(ExplainedCommit)

FILE_COLUMNS = columns_of(CommitFile)
_BY_PATH = (
    Term(FILE_COLUMNS["path"], False),
    Term(FILE_COLUMNS["deliverySha"], False),
)
_CREDITS = columns_of(Credit)
# A file change names the kind of its lines by number.
_KINDS = columns(Column("kind", Kind.INTEGER, "kind")) | columns_of(LineClass)
_EVIDENCE = columns_of(AiEvidence)
_ORIGINS = columns_of(LikelyOrigin)
_ISSUES = columns_of(CommitIssue)


def get_commit(build: Build, access: RowAccess, commit: str) -> Row:
    """The named commit with files, credits, AI evidence and likely bug-introducing commits. Raises `unknown_commit`."""
    wanted = commit_id(build, access, commit)
    place = row_number(build, access, wanted)
    if place is None:
        raise unknown_commit(access, commit)
    table = access.table(build, "commits_by_time")
    found = build.rows(f"select {select_list(_EXPLAINED.values())} from {table} where position = {place}")[0]
    found["files"], found["fileTotal"] = _first_files(build, access, wanted)
    found["credits"] = _credits(build, access, wanted)
    found["aiEvidence"] = build.rows(
        f"select {select_list(_EVIDENCE.values())} from {access.table(build, 'commit_ai_evidence')} "
        f"where {one_of('commit_id', [wanted]).sql}"
    )
    # A handful of rows are sorted here: a sort in the query costs more than reading them.
    found["aiEvidence"].sort(
        key=lambda sign: (sign["tool"], sign["role"], sign["signal"], sign["matchedText"])
    )
    found["issues"] = build.rows(
        f"select {select_list(_ISSUES.values())} from {access.table(build, 'commit_issues')} "
        f"where {one_of('commit_id', [wanted]).sql}"
    )
    found["issues"].sort(key=lambda issue: issue["place"])
    found["likelyOrigins"] = build.rows(
        f"select {select_list(_ORIGINS.values())} from {access.table(build, 'commit_origins')} "
        f"where {one_of('commit_id', [wanted]).sql}"
    )
    found["likelyOrigins"].sort(key=lambda origin: (-origin["likelihood"], origin["commitSha"]))
    return found


def row_number(build: Build, access: RowAccess, wanted: str) -> int | None:
    """The row number of the commit of this id among the commits by time, or None."""
    rows = build.rows(
        f"select position from {access.table(build, 'commit_numbers')} where {one_of('commit_id', [wanted]).sql}"
    )
    return int(rows[0]["position"]) if rows else None


def list_commit_files(
    build: Build, access: RowAccess, query: PageQuery, position: Position | None, *, commit: str
) -> Page:
    """File changes of the named commit by path, each with the line classes that its points are made of.

    Raises `unknown_commit`.
    """
    wanted = commit_id(build, access, commit)
    found = _files(build, access, wanted, query.limit, position)
    if found.total == 0 and row_number(build, access, wanted) is None:
        raise unknown_commit(access, commit)
    return found


def get_commit_file(build: Build, access: RowAccess, wanted: str, path: str) -> Row | None:
    """The file change of a commit at a path, with its line classes; None without one."""
    rows = build.rows(
        f"select {select_list(FILE_COLUMNS.values())} from {access.table(build, 'commit_files')} "
        f"where {one_of('commit_id', [wanted]).sql} and path = ?",
        [path],
    )
    return _explained(build, access, rows[0]) if rows else None


def _files(build: Build, access: RowAccess, wanted: str, limit: int, position: Position | None) -> Page:
    found = page(
        build,
        source=Condition(access.table(build, "commit_files")),
        shown=FILE_COLUMNS.values(),
        condition=one_of("commit_id", [wanted]),
        terms=_BY_PATH,
        limit=limit,
        position=position,
    )
    return Page([_explained(build, access, row) for row in found.rows], found.next_values, found.total)


def _first_files(build: Build, access: RowAccess, wanted: str) -> tuple[list[Row], int]:
    # Nearly every commit fits: read it without asking for the order and the number first.
    rows = build.rows(
        f"select {select_list(FILE_COLUMNS.values())} from {access.table(build, 'commit_files')} "
        f"where {one_of('commit_id', [wanted]).sql} limit {FILES_SHOWN + 1}"
    )
    if len(rows) > FILES_SHOWN:
        files = _files(build, access, wanted, FILES_SHOWN, None)
        return files.rows, files.total
    rows.sort(key=lambda row: (row["path"], row["deliverySha"] or ""))
    return [_explained(build, access, row) for row in rows], len(rows)


def _credits(build: Build, access: RowAccess, wanted: str) -> list[Row]:
    def find(build: Build) -> dict[str, str]:
        rows = build.rows(f"select developer_id, name from {access.table(build, 'developers')}")
        return {row["developer_id"]: row["name"] for row in rows}

    names = build.remembered(f"developer names {access.rows_key}", find)
    rows = build.rows(
        f"select {select_list(_CREDITS.values())} from {access.table(build, 'commit_credits')} "
        f"where {one_of('commit_id', [wanted]).sql}"
    )
    rows.sort(key=lambda row: (-row["etv"], row["developerId"]))
    return [
        {"developerId": row["developerId"], "developerName": names.get(row["developerId"])} | row
        for row in rows
    ]


def _explained(build: Build, access: RowAccess, row: Row) -> Row:
    kinds = _line_kinds(build, access)
    row["status"] = STATUSES.get(row["status"], row["status"])
    row["lineClasses"] = [
        kinds[entry["kind"]]
        | {
            "lines": entry["lines"],
            "weightMicros": entry["weight_micro"],
            "pointsMicros": entry["points_micro"],
        }
        for entry in row["lineClasses"]
    ]
    return row


def _line_kinds(build: Build, access: RowAccess) -> dict[int, Row]:
    """The kinds of lines by number: some thousands, shared by all commits."""

    def find(build: Build) -> dict[int, Row]:
        rows = build.rows(f"select {select_list(_KINDS.values())} from {access.table(build, 'line_kinds')}")
        return {row.pop("kind"): row for row in rows}

    return build.remembered(f"line kinds {access.rows_key}", find)
