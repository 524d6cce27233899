"""The share of each reason in the work of a repository, and the share from which a person should look."""

from api.presentation.metrics import MICRO


def shares(rows: str) -> str:
    """A query of the share of each reason in the commits and new lines of a repository.

    `rows` selects from the rows of days: `<table> where <condition>`.
    """
    return (
        "select repository_id, zero_reason, "
        "coalesce(commits / nullif(sum(commits) over (partition by repository_id), 0), 0)::double as commit_share, "
        "coalesce(lines / nullif(sum(lines) over (partition by repository_id), 0), 0)::double as line_share "
        "from (select repository_id, zero_reason, sum(commits) as commits, sum(lines_added) as lines "
        f"from {rows} group by repository_id, zero_reason)"
    )


def is_large(commit_share: float, line_share: float, limit_micro: int | None) -> bool:
    """Whether a share is above the limit of its reason, in millionths; a reason without a limit has none too large."""
    return limit_micro is not None and max(commit_share, line_share) * MICRO > limit_micro
