"""The tools, which read and change nothing.

Add: a tool here, over a route that exists; assistants choose among at most twelve. Keep out: how a tool reads
(tool.py).
"""

from pydantic import Field

from api.http.parameters import NoParameters
from api.mcp.tool import Tool
from api.presentation.checks import check_kinds
from api.query.parameters import FigureQuery
from api.read.ai_usage.spend import AiSpendQuery
from api.read.alignment.parameters import ObjectiveQuery
from api.read.checks.occurrences import OccurrenceQuery
from api.read.commits.commits import CommitQuery
from api.read.commits.lines import ExplanationQuery
from api.read.commits.shapes import ExplainedCommit
from api.read.pull_requests.pull_requests import PullRequestQuery
from api.shapes import Shape
from api.v1.ai_usage.spend import AiSpendPage
from api.v1.alignment.objectives import ObjectivePage
from api.v1.checks.occurrences import CheckOccurrencePage
from api.v1.commits.commits import CommitPage
from api.v1.metrics.metrics import MetricsQuery, SeriesPage
from api.v1.pull_requests.pull_requests import PullRequestPage
from api.v1.repositories.repositories import RepositoryPage
from api.v1.summaries.summaries import SummaryPage, SummaryQuery
from api.v1.teams.teams import TeamPage

LIST_FIGURES = ("startDate", "endDate", "search", "filter", "orderBy")
FIGURES = ("etv", "performance", "aiShareAtLeast", "roadmapAlignment")
OF_WORK = ("repository", "developer", "team")
DAYS = ("startDate", "endDate")
POINTS = (
    *DAYS,
    "interval",
    "series.key?",
    "series.name",
    "series.points.start",
    "series.points.isPartial?",
    "series.points.isDraft?",
    "series.points.isSuppressed?",
)


class SummaryMarkdown(Shape):
    """The text of a summary."""

    text: str = Field(
        description="The summary in Markdown, with its figures. A dash is a figure that is missing."
    )


def _of(item: str, *fields: str) -> tuple[str, ...]:
    return tuple(f"{item}.{name}" for name in fields)


def _units() -> str:
    """The kinds of checks by their unit."""
    kinds: dict[str, list[str]] = {}
    for name, kind in check_kinds().items():
        kinds.setdefault(kind.unit.replace("_", " "), []).append(name.upper())
    return "; ".join(f"{unit}: {', '.join(names)}" for unit, names in kinds.items())


TEAMS = Tool(
    "list_teams",
    "Teams",
    "Teams with figures for a range of days, most ETV first. A team contains its sub-teams, so never add teams up. Use "
    "it to compare teams, or to find the id of a team with `search`.",
    "teams",
    FigureQuery,
    TeamPage,
    LIST_FIGURES,
    (*DAYS, *_of("teams", "id", "name", "parentId?", "developerCount", "suppressedReason?")),
    metrics_of="teams",
    metrics=FIGURES,
    texts=("teams.name",),
)
REPOSITORIES = Tool(
    "list_repositories",
    "Repositories",
    "Repositories with figures for a range of days, most ETV first, and the totals over all pages. Use it to compare "
    "repositories, or to find the id of one with `search`. aiCost of a repository is what reaches its commits; "
    "aiCostWithoutCommit is what reaches none.",
    "repositories",
    FigureQuery,
    RepositoryPage,
    LIST_FIGURES,
    (
        *DAYS,
        *_of(
            "repositories", "id", "name", "developerCount", "isSandbox?", "isExcluded?", "suppressedReason?"
        ),
        "totals.etv",
        "totals.commits",
        "aiCostWithoutCommit?",
    ),
    metrics_of="repositories",
    metrics=FIGURES,
    texts=("repositories.name",),
)
OBJECTIVES = Tool(
    "list_objectives",
    "Objectives",
    "Objectives and sub-objectives of the trackers: status, dates, progress of their issues, and the ETV of all time "
    "that reached them. progress is the share of done issues, 0 to 1, without canceled ones, and no forecast.",
    "objectives",
    ObjectiveQuery,
    ObjectivePage,
    ("level", "statusCategory", "overdue", "team", "parent", "search", "filter", "orderBy"),
    _of(
        "objectives", "id", "level", "parentId?", "key?", "title", "statusCategory", "isOverdue?", "targetDate?",
        "ownerName?", "teamName?", "issueCount", "doneIssueCount", "progress", "etv", "suppressedReason?", "url?",
    ),
    texts=("objectives.key", "objectives.title", "objectives.ownerName", "objectives.teamName"),
)  # fmt: skip
SUMMARIES = Tool(
    "list_summaries",
    "Summaries",
    "The written summaries of completed weeks, months and quarters, newest first: of the organization, of teams and of "
    "repositories. get_summary has the text of one.",
    "summaries",
    SummaryQuery,
    SummaryPage,
    ("scopeKind", "scopeId", "period", "startDate", "endDate"),
    _of("summaries", "id", "scopeKind", "scopeId", "scopeName", "period", "startDate", "endDate"),
    texts=("summaries.scopeName",),
)
SUMMARY = Tool(
    "get_summary",
    "One summary",
    "The text of a summary: what was delivered, what moved and why, effort by category and objective, AI spend, CapEx "
    "preview (months and quarters), open checks (weeks). Start here to review a period or to explain a change. A long "
    "one comes in parts.",
    "summaries/{summary}",
    NoParameters,
    SummaryMarkdown,
    (),
    ("text",),
    path_arguments={"summary": "Id of the summary, from list_summaries."},
    texts=("text",),
    accept="text/markdown",
    long_text="text",
)
PERFORMANCE = Tool(
    "get_performance",
    "Performance over time",
    "Performance and ETV per week, month, quarter or year: of the organization, or of each repository, developer or "
    "team. 50 is the average of the organization's year before. It compares groups with themselves over time; one "
    "period of one person says little.",
    "metrics",
    MetricsQuery,
    SeriesPage,
    ("interval", *DAYS, "groupBy", *OF_WORK),
    POINTS,
    {"pageSize": 3, "interval": "MONTH"},
    metrics_of="series.points",
    metrics=("performance", "etv"),
    sends_metrics=True,
    chooses_metrics=False,
    texts=("series.name",),
)
METRICS_OVER_TIME = Tool(
    "query_metrics",
    "Metrics over time",
    "Any metric per day, week, month, quarter or year: the total, or with groupBy a series for each repository, "
    "developer, team or category, most ETV first; narrowed by repository, developer, team or category. Metrics: etv, "
    "commits, aiCost, aiCostPerEtv, featuresEtv, maintenanceEtv, fixesEtv and others (see `metrics`). Without dates: "
    "the last complete periods. A longer interval gives a shorter answer.",
    "metrics",
    MetricsQuery,
    SeriesPage,
    ("interval", *DAYS, "groupBy", *OF_WORK, "category"),
    POINTS,
    {"pageSize": 5},
    metrics_of="series.points",
    metrics=("etv",),
    sends_metrics=True,
    texts=("series.name",),
)
COMMIT = Tool(
    "explain_commit",
    "Explain a commit",
    "Why a commit has its ETV, or none: the explanation in a sentence, its largest files with the reason of each, who "
    "got credit, evidence of AI assistance, issues, and likely origins of a fixed bug. fileTotal counts all files. "
    "With `file`, the lines of that file that earn most, each with its number, class and weight.",
    "commits/{commit}",
    ExplanationQuery,
    ExplainedCommit,
    ("file",),
    (
        "sha", "repositoryName", "developerName", "subject", "deliveredOn", "isCounted", "etv", "zeroReason?",
        "categoryLabel", "pullRequestNumber?", "explanation", "fileTotal",
        *_of("files", "path", "status", "role", "zeroReason?", "category", "etv", "machineEvidence?", "copiedFrom?"),
        *_of("credits", "developerName", "role", "share"),
        *_of("aiEvidence", "tool", "role", "signal", "confidence"),
        *_of("issues", "key", "title", "url?", "objectiveTitle?"),
        *_of("likelyOrigins", "commitSha", "likelihood", "ageDays"),
        "lines?", *_of("lines", "deliverySha?", "missingReason?", "lineTotal?"),
        *_of("lines.lines", "side", "number", "class?", "weightMicros?", "text?"),
    ),
    path_arguments={"commit": "Id or SHA of the commit, or at least the first seven digits of the SHA."},
    largest={
        "files": ("etv", 10), "credits": ("share", 10), "aiEvidence": ("confidence", 5), "issues": ("etv", 5),
        "likelyOrigins": ("likelihood", 3), "lines.lines": ("weightMicros", 20),
    },
    texts=(
        "repositoryName", "subject", "developerName", "explanation", "files.path", "files.machineEvidence",
        "files.copiedFrom", "credits.developerName", "issues.key", "issues.title", "issues.objectiveTitle",
        "lines.lines.text",
    ),
)  # fmt: skip
COMMITS = Tool(
    "list_commits",
    "Commits",
    "Commits with their ETV, most ETV first, of a range of days of delivery (default: all time). Use it to find the "
    "most valuable commits, and explain_commit for the reasons of one.",
    "commits",
    CommitQuery,
    CommitPage,
    (*DAYS, *OF_WORK, "category", "aiAssisted", "search", "filter", "orderBy"),
    _of(
        "commits", "sha", "repositoryName", "developerName", "subject", "deliveredOn", "etv", "categoryLabel",
        "zeroReason?", "isAiAssisted?", "pullRequestNumber?",
    ),
    {"orderBy": "etv desc"},
    texts=("commits.repositoryName", "commits.subject", "commits.developerName"),
)  # fmt: skip
AI_SPEND = Tool(
    "list_ai_spend",
    "AI spend",
    "Cost, tokens and people of AI tools over a range of days, by tool, model, developer, team, week or month, highest "
    "cost first. cost is in units of currency; unattributedCost is the part of no known developer.",
    "aiSpend",
    AiSpendQuery,
    AiSpendPage,
    (*DAYS, "groupBy", "tool", "developer", "team", "orderBy"),
    (
        *DAYS,
        *_of(
            "aiSpend", "tool?", "model?", "developerName?", "actor?", "teamName?", "periodStart?", "currency?", "cost",
            "unattributedCost?", "people", "activeDays", "etv?", "costPerEtv?", "suppressedReason?",
        ),
    ),
    texts=("aiSpend.tool", "aiSpend.model", "aiSpend.developerName", "aiSpend.actor", "aiSpend.teamName"),
)  # fmt: skip
OCCURRENCES = Tool(
    "list_check_occurrences",
    "Occurrences of checks",
    "What the checks found: overdue objectives, stuck pull requests, work at risk and others, the last opened first. "
    "Default: those of every status; use status OPEN for what is open now. For who waits longest for a review: kind "
    f"WAITING_FOR_REVIEW, status OPEN, orderBy `value desc`. Units of value and threshold: {_units()}.",
    "checkOccurrences",
    OccurrenceQuery,
    CheckOccurrencePage,
    ("kind", "status", *DAYS, *OF_WORK, "search", "filter", "orderBy"),
    _of(
        "checkOccurrences", "id", "kind", "status", "severity", "subjectType", "subjectTitle?", "subjectReference?",
        "url?", "repositoryName?", "developerName?", "value?", "threshold?", "openedAt", "endedAt?", "note?",
    ),
    texts=_of(
        "checkOccurrences", "repositoryName", "subjectTitle", "subjectReference", "note", "developerName"
    ),
)  # fmt: skip
PULL_REQUESTS = Tool(
    "list_pull_requests",
    "Pull requests",
    "Pull requests, newest first, with their ETV and the hours that they took: cycle (first commit to merge), pickup "
    "(ready to first review), review. Null hours: not yet, or unknown. To count those of a period: pageSize 1, dateOf, "
    "startDate and endDate, and totalSize of the answer.",
    "pullRequests",
    PullRequestQuery,
    PullRequestPage,
    ("state", *DAYS, "dateOf", *OF_WORK, "reviewer", "draft", "aiAssisted", "search", "filter", "orderBy"),
    _of(
        "pullRequests", "repositoryName", "number", "title", "state", "isDraft?", "developerName", "createdOn",
        "mergedOn?", "etv", "cycleHours", "pickupHours", "reviewHours", "reviewerCount", "isAiAssisted?", "url?",
    ),
    texts=("pullRequests.repositoryName", "pullRequests.title", "pullRequests.developerName"),
)  # fmt: skip

TOOLS = {
    tool.name: tool
    for tool in (
        TEAMS, REPOSITORIES, OBJECTIVES, SUMMARIES, SUMMARY, PERFORMANCE, METRICS_OVER_TIME, COMMITS, COMMIT,
        OCCURRENCES, PULL_REQUESTS, AI_SPEND,
    )
}  # fmt: skip
