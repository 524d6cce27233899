"""The tools, which read and change nothing.

Add: a tool here, over a route that exists. Keep out: how a tool reads (tool.py).
"""

from api.mcp.tool import Tool
from api.query.parameters import FigureQuery
from api.v1.metrics.metrics import MetricsQuery, SeriesPage
from api.v1.teams.teams import TeamPage

LIST_FIGURES = ("startDate", "endDate", "search", "filter", "orderBy")
FIGURES = ("etv", "performance", "aiShareAtLeast", "roadmapAlignment")

LIST_TEAMS = Tool(
    "list_teams",
    "Teams",
    "Teams with figures for a range of days, most ETV first. A team contains its sub-teams, so never add teams up. Use "
    "it to compare teams, or to find the id of a team by `search`.",
    "teams",
    FigureQuery,
    TeamPage,
    LIST_FIGURES,
    ("startDate", "endDate", *(f"teams.{name}" for name in ("id", "name", "parentId?", "developerCount")),
     "teams.suppressedReason?"),
    metrics_of="teams",
    metrics=FIGURES,
)  # fmt: skip
QUERY_METRICS = Tool(
    "query_metrics",
    "Metrics over time",
    "Any metric per day, week, month, quarter or year: the total, or with groupBy a series for each repository, "
    "developer, team or category, most ETV first; narrowed by repository, developer, team or category. A longer "
    "interval gives a shorter answer.",
    "metrics",
    MetricsQuery,
    SeriesPage,
    ("interval", "startDate", "endDate", "groupBy", "repository", "developer", "team", "category"),
    (
        "startDate",
        "endDate",
        "interval",
        "series.key?",
        "series.name",
        "series.points.start",
        "series.points.isPartial?",
        "series.points.isDraft?",
        "series.points.isSuppressed?",
    ),
    {"pageSize": 5},
    metrics_of="series.points",
    metrics=("etv",),
    sends_metrics=True,
)

TOOLS = {tool.name: tool for tool in (LIST_TEAMS, QUERY_METRICS)}
