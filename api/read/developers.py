"""Developers with their figures over a range, and the addresses of each."""

from api.query.columns import Column, Kind, columns
from api.query.ordering import Term
from api.read.figures.figures import SUPPRESSED_REASON
from api.read.metrics import METRICS

COLUMNS = columns(
    Column("id", Kind.ID, "developer_id"),
    Column("name", Kind.TEXT, "name"),
    Column("primary_email", Kind.TEXT, "primary_email", nullable=True),
    Column("is_bot", Kind.FLAG, "is_bot"),
    Column("bot_reason", Kind.TEXT, "bot_reason", nullable=True),
    Column("commit_count", Kind.INTEGER, "commit_count", nullable=True),
    Column("delivered_commit_count", Kind.INTEGER, "delivered_commit_count", nullable=True),
    Column("first_delivered_at", Kind.INSTANT, "first_delivered_at", nullable=True),
    Column("last_delivered_at", Kind.INSTANT, "last_delivered_at", nullable=True),
    Column("kind", Kind.ENUM, "kind", nullable=True),
    Column("role", Kind.TEXT, "role", nullable=True),
    Column("seniority", Kind.TEXT, "seniority", nullable=True),
    Column("joining_date", Kind.DATE, "joined_on", nullable=True),
    Column("probation_end_date", Kind.DATE, "probation_ends_on", nullable=True),
    Column("leaving_date", Kind.DATE, "left_on", nullable=True),
    Column("avatar_url", Kind.TEXT, "avatar_url", nullable=True),
    Column("team_id", Kind.ID, "team_id", nullable=True),
    Column("team_name", Kind.TEXT, "team", nullable=True),
    Column("calculation_version", Kind.TEXT, "calculation_version"),
    *(metric.column for metric in METRICS.values()),
    SUPPRESSED_REASON,
)
IDENTITY = columns(
    Column("addresses", Kind.LIST, "addresses", sortable=False),
    Column("merge_suggestions", Kind.LIST, "merge_suggestions", sortable=False),
)
SEARCHED = ("name", "primary_email")
MOST_VALUE_FIRST = (Term(COLUMNS["etv"], True), Term(COLUMNS["name"], False))
