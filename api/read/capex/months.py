"""Sums of the CapEx report by month, over developers.

Keep out: rows of one developer (report.py), months under another policy (preview.py).
"""

from datetime import date

from pydantic import Field

from api.query.conditions import Condition
from api.query.pages import rows_of
from api.shapes import Shape
from api.snapshot.build import Build, Row


class CapexMonth(Shape):
    """The report of a month, summed over the developers of the selected rows, on whatever page they are."""

    month: date = Field(description="First day of the month.", examples=["2026-10-01"])
    developers: int = Field(description="Developers with hours in the month.")
    hours: float = Field(description="Working hours of these developers.")
    hours_without_effort: float = Field(
        description="Hours of developers without effort in the month. They are neither CapEx nor OpEx."
    )
    capex_percent: float | None = Field(
        description="`capexHours` ÷ (`capexHours` + `opexHours`) × 100. Null for a month without effort."
    )
    capex_percent_low: float | None = Field(
        description="Lower end of the 95 % interval of `capexPercent`. It takes the errors of developers as "
        "independent: the half widths of their intervals, in hours, add up as squares. Null without `capexPercent`, "
        "and where a developer with effort has no interval."
    )
    capex_percent_high: float | None = Field(description="Upper end of the interval.")
    capex_hours: float | None = Field(description="Sum of `capexHours`. Null for a month without effort.")
    opex_hours: float | None = Field(description="Sum of `opexHours`. Null for a month without effort.")
    developers_without_joining_date: int = Field(
        description="Developers with `datesInferred`: their hours count from the first delivery."
    )
    is_draft: bool = Field(description="true: the month has not ended.")


# Hours are decimals, so that their sums are exact. Half widths are in hours, from percents of them.
SUMS = """
    select
        month,
        count(*) as developers,
        sum(hours) as hours,
        sum(hours) filter (where capex_percent is null) as idle_hours,
        sum(capex_hours) as capex_hours,
        sum(opex_hours) as opex_hours,
        sqrt(sum(pow(cast(hours as double) * cast(capex_percent - capex_percent_low as double) / 100, 2))) as below,
        sqrt(sum(pow(cast(hours as double) * cast(capex_percent_high - capex_percent as double) / 100, 2))) as above,
        coalesce(bool_and(capex_percent_low is not null) filter (where capex_percent is not null), false)
            as has_interval,
        count(*) filter (where dates_inferred) as inferred,
        bool_or(is_draft) as is_draft
    from {rows}
    where {condition}
    group by month
"""
MONTHS = """
    select
        month as "month",
        developers as "developers",
        cast(hours as double) as "hours",
        cast(coalesce(idle_hours, 0) as double) as "hoursWithoutEffort",
        round(100 * cast(capex_hours as double) / nullif(capex_hours + opex_hours, 0), 6) as "capexPercent",
        case when has_interval then round(
            100 * greatest(capex_hours - below, 0) / nullif(capex_hours + opex_hours, 0), 6
        ) end as "capexPercentLow",
        case when has_interval then round(
            100 * least((capex_hours + above) / nullif(capex_hours + opex_hours, 0), 1), 2
        ) end as "capexPercentHigh",
        cast(capex_hours as double) as "capexHours",
        cast(opex_hours as double) as "opexHours",
        inferred as "developersWithoutJoiningDate",
        is_draft as "isDraft"
    from ({sums})
    order by month
"""


def capex_months(build: Build, source: Condition, condition: Condition) -> list[Row]:
    """The months of the rows of `source` (a table or a query) under `condition`, oldest first, each as `CapexMonth`."""
    sums = SUMS.format(rows=rows_of(source), condition=condition.sql)
    return build.rows(MONTHS.format(sums=sums), (*source.parameters, *condition.parameters))
