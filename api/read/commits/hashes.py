"""The commit that a caller names: by its id, by its SHA, or by the first digits of the SHA, as Git takes them.

Only commits that the caller may see count, for what a start of a SHA names and for whether it names several. Keep out:
what is read of a commit (explanation.py).
"""

import re
import uuid

from api.access.row_access import RowAccess
from api.errors import ApiError, FailedPrecondition
from api.snapshot.build import Build

MIN_DIGITS = 7
"""Git's own minimum of an abbreviation, and fewer than reports print."""
MAX_CANDIDATES = 5
NAMED_BY = f"id, SHA, or at least the first {MIN_DIGITS} digits of the SHA"

_SHA = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_START = re.compile(rf"[0-9a-f]{{{MIN_DIGITS},63}}")


def spelled(given: str) -> str:
    """One spelling for everything that names the same commit without a look at a build, for page tokens."""
    return given.lower()


def commit_id(build: Build, access: RowAccess, given: str) -> str:
    """The id of a commit: an id is derived from organization and SHA. Whether the commit exists is not looked at.

    Raises FailedPrecondition with the candidates for a start of several SHAs, PermissionDenied for closed tables.
    """
    wanted = spelled(given)
    if _SHA.fullmatch(wanted):
        return str(uuid.uuid5(uuid.UUID(access.organization_id), f"commit:{wanted}"))
    if not _START.fullmatch(wanted):
        return wanted
    rows = build.rows(
        f"select distinct commit_id, commit_sha from {access.table(build, 'commits_by_time')} "
        f"where starts_with(commit_sha, ?) order by commit_sha limit {MAX_CANDIDATES + 1}",
        [wanted],
    )
    if len(rows) > 1:
        named = ", ".join(row["commit_sha"] for row in rows[:MAX_CANDIDATES])
        more = " and more" if len(rows) > MAX_CANDIDATES else ""
        raise FailedPrecondition(
            f"several commits begin with {given!r}: {named}{more}; give more digits of the SHA"
        )
    return str(rows[0]["commit_id"]) if rows else wanted


def unknown_commit(access: RowAccess, given: str) -> ApiError:
    """The error for a commit that is not among the visible rows, whether or not it exists."""
    return access.unknown(f"commit {given!r} (give its {NAMED_BY})")
