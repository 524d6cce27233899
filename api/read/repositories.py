"""Repositories with their figures over a range."""

from api.query.columns import Column, Kind, columns
from api.query.ordering import Term
from api.read.figures.figures import SUPPRESSED_REASON
from api.read.metrics import METRICS

COLUMNS = columns(
    Column("id", Kind.ID, "repository_id"),
    Column("name", Kind.TEXT, "name"),
    Column("origin", Kind.TEXT, "origin"),
    Column("default_branch", Kind.TEXT, "default_branch", nullable=True),
    Column("head_sha", Kind.TEXT, "head_sha", nullable=True),
    Column("is_sandbox", Kind.FLAG, "is_sandbox"),
    Column("is_excluded", Kind.FLAG, "is_excluded"),
    Column("is_disabled", Kind.FLAG, "is_disabled"),
    Column("tags", Kind.LIST, "tags", sortable=False),
    Column("is_shallow", Kind.FLAG, "is_shallow"),
    Column("is_partial", Kind.FLAG, "is_partial"),
    Column("commit_count", Kind.INTEGER, "commit_count", nullable=True),
    Column("delivered_commit_count", Kind.INTEGER, "delivered_commit_count", nullable=True),
    Column("developer_count", Kind.INTEGER, "developer_count", nullable=True),
    Column("skipped_objects", Kind.INTEGER, "skipped_objects"),
    Column("first_delivered_at", Kind.INSTANT, "first_delivered_at", nullable=True),
    Column("last_delivered_at", Kind.INSTANT, "last_delivered_at", nullable=True),
    Column("calculation_version", Kind.TEXT, "calculation_version"),
    *(metric.column for metric in METRICS.values()),
    SUPPRESSED_REASON,
)
SEARCHED = ("name", "origin")
MOST_VALUE_FIRST = (Term(COLUMNS["etv"], True), Term(COLUMNS["name"], False))
