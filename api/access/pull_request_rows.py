"""Pull requests as a team lead sees them: those of people who were in a led team on the day of creation.

Reviewers, those asked for a review and those who merge can be of other teams: their logins stay hidden, and so do the
texts of issues that belong to another team. Ids stay, because they open nothing. Only team_lead_rows.py uses this
module. `written` is the condition on the team of a row.
"""

_OF_AN_ITEM = ("item_key", "item_title", "item_type_name", "item_status_category", "item_url")


def pull_requests(written: str) -> str:
    """A query for the visible pull requests."""
    asked = ", ".join(
        f"coalesce((select list(one order by one) from unnest({column}) as asked (one) "
        f"where lower(one) in ({_known(written)})), []) as {column}"
        for column in ("requested_reviewers", "awaited_reviewers")
    )
    logins = _logins(written, "merged_by")
    return f"select * replace ({logins}, {asked}) from pull_requests where {written}"


def times(written: str) -> str:
    """A query for the times of the visible pull requests."""
    logins = _logins(written, "started_by_login", "ended_by_login")
    return f"select * replace ({logins}) from pull_request_times where {written}"


def commits(written: str, visible_commits: str) -> str:
    """A query for the visible commits of the visible pull requests."""
    return (
        "select * from pull_request_commits where pull_request_id in "
        f"(select pull_request_id from pull_requests where {written}) and commit_id in ({visible_commits})"
    )


def issues(written: str, of_led_teams: str) -> str:
    """A query for the issues of the visible pull requests, without the texts of issues of other teams."""
    seen = f"item_team_id is null or {of_led_teams}"
    texts = ", ".join(f"case when {seen} then {column} end as {column}" for column in _OF_AN_ITEM)
    return f"select * replace ({texts}) from pull_request_issues where {written}"


def _logins(written: str, *columns: str) -> str:
    """A `replace` list that keeps logins of people with visible pull requests or reviews alone."""
    known = _known(written)
    return ", ".join(f"case when lower({one}) in ({known}) then {one} end as {one}" for one in columns)


def _known(written: str) -> str:
    """A query for the logins of people with visible pull requests or reviews, in lower case."""
    return (
        f"select lower(author) from pull_requests where {written} "
        f"union all select lower(reviewer) from reviews where {written}"
    )
