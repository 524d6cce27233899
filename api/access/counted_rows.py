"""Repositories and developers with the numbers of visible commits alone.

Only team_lead_rows.py and self_rows.py use this module. `visible` is the condition on rows of commit_counts.
"""

_COUNTS = (
    "sum(commit_count)::bigint as commit_count, sum(delivered_commit_count)::bigint as delivered_commit_count, "
    "count(distinct case when not is_bot then developer_number end) as developer_count, "
    "min(first_delivered_at) as first_delivered_at, max(last_delivered_at) as last_delivered_at"
)


def repositories(visible: str) -> str:
    """A query for repositories with visible commits."""
    return (
        "select repositories.* replace (null::varchar as head_sha, seen.commit_count as commit_count, "
        "seen.delivered_commit_count as delivered_commit_count, seen.developer_count as developer_count, "
        "seen.first_delivered_at as first_delivered_at, seen.last_delivered_at as last_delivered_at) "
        f"from repositories join (select repository_number, {_COUNTS} from commit_counts where {visible} "
        "group by repository_number) as seen on seen.repository_number = repositories.position"
    )


def developers(visible: str, members: str, team_ids: str) -> str:
    """A query for these developers, also without visible commits. They have a team if it is one of these."""
    return (
        "select developers.* replace (coalesce(seen.commit_count, 0) as commit_count, "
        "coalesce(seen.delivered_commit_count, 0) as delivered_commit_count, "
        "seen.first_delivered_at as first_delivered_at, seen.last_delivered_at as last_delivered_at, "
        "[{'name': a.name, 'email': a.email, 'reason': a.reason, 'commits': null::bigint} for a in addresses] "
        "as addresses, merge_suggestions[:0] as merge_suggestions, known_ids[:0] as known_ids, "
        f"case when developers.team_id in ({team_ids}) then developers.team_id end as team_id, "
        f"case when developers.team_id in ({team_ids}) then developers.team end as team) "
        f"from developers left join (select developer_number, {_COUNTS} from commit_counts "
        f"where {visible} group by developer_number) as seen "
        f"on seen.developer_number = developers.position where developers.position in ({members})"
    )
