"""Figures as sentences, equal wherever they are told.

Add: a sentence about values. Keep out: reading them, and markup. A terminal makes names plain first.
"""

from collections.abc import Iterable, Mapping
from datetime import date

from api.presentation.formats import counted, number
from api.presentation.performance import MIN_REFERENCE_WEEKS

# Smallest part to name, in ETV; it rounds to 0.1.
_SHOWN_FROM = 0.05
# Smallest share to name; it rounds to 1 %.
_SHARE_SHOWN_FROM = 0.005
# Confidences are means of whole millionths.
_CERTAIN = 0.9999995
_PARTS = {
    "changes": "number of file changes",
    "size": "size of changes",
    "mix": "mix of categories",
    "rework": "rework",
    "value": "value per point",
}


def movement(month: date, etv: float, previous: float, parts: Mapping[str, float]) -> str:
    """The change of ETV since the month before, largest part first. Omits parts that round to 0."""
    moved = sorted(parts.items(), key=lambda part: (-abs(part[1]), part[0]))
    shown = [f"{_PARTS[name]} {value:+,.1f}" for name, value in moved if abs(value) >= _SHOWN_FROM]
    return f"{month:%Y-%m}: {number(etv)} ETV, {number(previous)} in the month before." + (
        f" Parts of the difference: {', '.join(shown)}." if shown else ""
    )


def missing_performance(month: date | None, developer_weeks_before: float | None) -> str:
    """What a dash in place of a performance means. The weeks are those of the year before the month."""
    if month is not None and (developer_weeks_before or 0) < MIN_REFERENCE_WEEKS:
        return (
            f"A dash: there is no comparison yet. The year before {month:%Y-%m} has "
            f"{number(developer_weeks_before or 0)} weeks of developers, and a comparison needs {MIN_REFERENCE_WEEKS}."
        )
    return f"A dash: no ETV, or fewer than {MIN_REFERENCE_WEEKS} weeks of developers in the year before."


def alignment(by_issue: float | None, by_objective: float | None, unaligned: float) -> str:
    """How much of the ETV of the shown weeks belongs to issues and objectives. Shares are None without any ETV."""
    if by_issue is None or by_objective is None:
        return "Alignment: these weeks have no ETV."
    return (
        f"Alignment over these weeks: {round(100 * by_issue)} % of the ETV belongs to an issue, "
        f"{round(100 * by_objective)} % reaches an objective. {number(unaligned)} ETV belong to no issue."
    )


def agents(commits: Iterable[tuple[str, int]]) -> str:
    """How many commits are by accounts of AI agents, which are in no AI share, with the name of each account."""
    counts = list(commits)
    named = ", ".join(f"{name} {count:,}" for name, count in counts)
    subject = counted(
        sum(count for _, count in counts),
        "commit is by an account of an AI agent",
        "commits are by accounts of AI agents",
    )
    return f"{subject} ({named}). They count as commits of bots: without ETV, and in no AI share."


def waiting(commits: int, title: str, description: str) -> str:
    """That nothing counts, and what the commits wait for."""
    return (
        f"Nothing counts yet: {counted(commits, 'commit is', 'commits are')} {_continued(title, description)}"
    )


def without_etv(title: str, description: str, *, line_share: float, commit_share: float) -> str:
    """That one reason takes a large share of the new lines and commits of a repository."""
    parts = [
        f"{100 * share:.0f} % of the {what}"
        for share, what in ((line_share, "new lines"), (commit_share, "commits"))
        if share >= _SHARE_SHOWN_FROM
    ]
    return f"{' and '.join(parts)} have no ETV: {_continued(title, description)}"


def to_confirm(commits: int) -> str:
    """The advice to confirm the categories of this many commits (at least 1)."""
    return (
        f"{counted(commits, 'commit causes', 'commits cause')} half of the variance of the CapEx shares by an "
        "uncertain category; confirm the first ones of GET …/capex/uncertainCommits"
    )


def _continued(title: str, description: str) -> str:
    """The title of a reason within a sentence, and its description."""
    return f"{title[:1].lower()}{title[1:]}. {description}"


def how_sure(confidence: float) -> str:
    """How sure links are, 0 to 1, after `the links are`: below 1 never rounded to 100 %."""
    return "certain" if confidence >= _CERTAIN else f"{min(round(100 * confidence), 99)} % sure"


def ai_cost_basis(confidence: float | None) -> str:
    """Why work has a cost of AI, whether or not there is a sign of AI in it; nothing without a cost."""
    if confidence is None:
        return ""
    if confidence >= _CERTAIN:
        return "sessions of the tool name it"
    return (
        "sessions that name it, or recorded use of its authors on that day or up to four days before; on average the "
        f"links are {how_sure(confidence)}"
    )


def misdated(repository: str, count: int) -> str:
    """Say that clocks were wrong when commits were made, and where these commits count."""
    commits = "1 commit" if count == 1 else f"{count:,} commits"
    have, it, counts = ("has", "It", "counts") if count == 1 else ("have", "They", "count")
    return (
        f"Warning: {commits} of {repository} {have} an impossible time: before 1980, in the future, or more than a day"
        f" after later commits. {it} {counts} at the time of the commits beside."
    )
