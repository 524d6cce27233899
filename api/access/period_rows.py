"""Figures of teams and developers over periods, as a team lead sees them.

A developer's figures are visible for periods whose delivered work was all written in the led teams. Only
team_lead_rows.py uses this module. Conditions `led` are on the row number of a team; with `days`, rows of periods that
are not within these may be missing.
"""

from api.query.periods import Range

FIRST_OF_PERIOD_BEFORE = (
    "(rows.period_start - case rows.period when 'week' then interval 7 days when 'month' then interval 1 month "
    "when 'quarter' then interval 3 months else interval 1 year end)"
)


def without_others(developer: str, first: str, last: str, led: str, days: Range | None) -> str:
    """Condition: nothing that a developer delivered on these days was written outside of the teams.

    `led` is a condition on `other.team_number`.
    """
    within = (
        f"and other.period_start between date '{days.first}' and date '{days.last}' "
        if days is not None
        else ""
    )
    return (
        "not exists (select 1 from developer_periods as other where other.period = 'day' "
        f"and other.developer_number = {developer} and other.period_start between {first} and {last} {within}"
        f"and not other.is_sandbox and (other.team_number is null or not {led}))"
    )


def periods(
    table: str, first: str, last: str, *, led: str, members: str, alone: str, days: Range | None
) -> str:
    """A query for rows of entities. `led` is a condition on `entity_number`, `alone` one of `without_others`."""
    # Only these days are checked for other work, so other days reveal nothing.
    within = (
        f"{first} >= date '{days.first}' and {last} <= date '{days.last}' and " if days is not None else ""
    )
    return (
        f"select * from {table} where entity_kind = 'team' and {led} "
        f"union all select rows.* from {table} as rows where rows.entity_kind = 'developer' "
        f"and {within}rows.entity_number in ({members}) and {alone}"
    )
