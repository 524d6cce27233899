"""Points of a time series: their bucket, and which of them have figures of too few people.

Keep out: the figures of a point (`series`, `api.read.pull_requests.figures`).
"""

from collections.abc import Callable, Sequence
from datetime import date

from api.access.row_access import RowAccess
from api.query.periods import Bucket, Range
from api.read.entities import DEVELOPERS, REPOSITORIES, TEAMS, Entity
from api.read.figures.figures import Slice
from api.snapshot.build import Build, Row

ENTITIES: dict[str, Entity] = {"REPOSITORY": REPOSITORIES, "DEVELOPER": DEVELOPERS, "TEAM": TEAMS}
# Which ids of a kind are hidden over a range.
HiddenIds = Callable[[Build, RowAccess, str, Range], frozenset[str]]
# The key of a line and the first day of a bucket.
PointKey = tuple[str | None, date]


def bucket_row(bucket: Bucket) -> Row:
    """What a point says about its bucket."""
    return {
        "start": bucket.start,
        "end": bucket.end,
        "label": bucket.label,
        "weekNumber": bucket.week,
        "isPartial": bucket.is_partial,
        "isDraft": bucket.is_draft,
    }


def closed_points(
    build: Build,
    access: RowAccess,
    piece: Slice,
    group: str | None,
    cut: Sequence[Bucket],
    keys: Sequence[str | None],
    hidden_ids: HiddenIds,
) -> set[PointKey]:
    """The points with figures, or a split of them, that too few people made."""
    if access.has_individuals:
        return set()
    closed: set[PointKey] = set()
    for bucket in cut:
        days = Range(max(bucket.start, piece.days.first), min(bucket.end, piece.days.last))
        if group in ENTITIES:
            few = hidden_ids(build, access, ENTITIES[group].kind, days)
            closed |= {(key, bucket.start) for key in keys if key in few}
        elif _is_few(build, access, piece, days, hidden_ids):
            closed |= {(key, bucket.start) for key in keys}
    return closed


def _is_few(build: Build, access: RowAccess, piece: Slice, days: Range, hidden_ids: HiddenIds) -> bool:
    """Whether a line over a whole slice is hidden. A shown line is a sum of shown parts."""
    if piece.teams:
        return not hidden_ids(build, access, "team", days).isdisjoint(piece.teams)
    if piece.repositories:
        return not hidden_ids(build, access, "repository", days).isdisjoint(piece.repositories)
    return bool(hidden_ids(build, access, "organization", days))
