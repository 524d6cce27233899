"""Teams with the figures of their people and sub-teams over a range."""

from api.read.columns import Column, Kind, columns
from api.read.figures import SUPPRESSED_REASON
from api.read.metrics import METRICS
from api.read.ordering import Term

COLUMNS = columns(
    Column("id", Kind.TEXT, "team_id"),
    Column("name", Kind.TEXT, "name"),
    Column("parent_id", Kind.TEXT, "parent_id", nullable=True),
    Column("depth", Kind.INTEGER, "depth"),
    Column("sub_team_count", Kind.INTEGER, "sub_team_count"),
    Column("developer_count", Kind.INTEGER, "developer_count"),
    Column("own_developer_count", Kind.INTEGER, "own_developer_count"),
    Column("calculation_version", Kind.TEXT, "calculation_version"),
    *(metric.column for metric in METRICS.values()),
    SUPPRESSED_REASON,
)
SEARCHED = ("name",)
MOST_VALUE_FIRST = (Term(COLUMNS["etv"], True), Term(COLUMNS["name"], False))
