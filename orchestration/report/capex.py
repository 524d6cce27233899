"""Counts the commits that people should confirm to make the CapEx report more certain.

Keep out: the CapEx file (api/exports/capex.py), the list of these commits (api/v1/capex/uncertain_commits.py).
"""

from __future__ import annotations

from orchestration.report.snapshot import Snapshot

# The whole variance would require every commit; a few commits usually hold half of it.
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
    """Number of least certain commits, in completed months, that hold half of the variance of CapEx."""
    return int(snapshot.rows(_HALF)[0][0])
