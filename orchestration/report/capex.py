"""What a report says of CapEx beside the file of it: how many commits decide how sure it is.

Keep out: the file (api/exports/capex.py), the list of these commits (api/v1/capex/uncertain_commits.py).
"""

from __future__ import annotations

from orchestration.report.snapshot import Snapshot

# A whole would mean to confirm every commit; half of the variance mostly lies in few.
_HALF = """
with weighed as (
    select commit_id, cast(deviation_micro as double) * deviation_micro as variance
    from uncertain_commits where not is_draft
),
placed as (
    select
        variance, sum(variance) over () as whole,
        sum(variance) over (order by variance desc, commit_id) - variance as larger
    from weighed
)
select count(*) from placed where larger < whole / 2
"""


def commits_to_confirm(snapshot: Snapshot) -> int:
    """How many of the least certain commits of completed months hold half of the variance of CapEx."""
    return int(snapshot.rows(_HALF)[0][0])


def confirmation_sentence(commits: int) -> str:
    """The advice to confirm that many, at least one."""
    hold = "1 commit holds" if commits == 1 else f"{commits:,} commits hold"
    return f"{hold} half of what the CapEx shares are unsure of; …/capex/uncertainCommits lists the least certain first"
