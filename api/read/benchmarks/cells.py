"""What one number of a benchmark may show, and the SQL that makes it of the figures of the members.

Which members count: those employed in the bucket or range (`developer_weeks` of the published periods; for a
repository, somebody worked in it then), and those with counted work. A member who delivered nothing counts 0, because
no output is an observation; one who had not joined or has left is left out, because there is nothing to observe.
A metric that is null for a member (a share without output) leaves the member out. Ratios are those of the members:
each has its own, and the benchmark is taken of these.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from api.access.group_privacy.benchmarks import (
    Openness,
    is_percentile_of_enough,
    least_people,
    openness_in,
)
from api.access.group_privacy.groups import months_of
from api.access.row_access import RowAccess
from api.presentation.metrics import METRICS, Metric
from api.query.periods import Interval, Range, last_of, start_of
from api.read.benchmarks.groups import Group, Reference
from api.read.entities import DEVELOPERS
from api.snapshot.build import Build, Row

MEMBERS = "member_count"
SPEND, SPENDERS = METRICS["aiCost"], "aiCostMemberCount"
"""The metric that most members may lack, and the field with how many have it."""


@dataclass(frozen=True, slots=True)
class Cells:
    """What a caller may see of a benchmark over a range of days: of its months, and from how many people on."""

    group: Group
    least: int
    months: Mapping[date, Openness]
    today: date
    has_splits: bool

    def shown(self, found: Mapping[str, Any] | None, days: Range, metrics: Iterable[Metric]) -> Row:
        """The metrics over these days from a row of `aggregated`; None for a row without members."""
        chosen = list(metrics)
        nothing: Row = {metric.field: None for metric in chosen}
        openness = {self.months[month] for month in months_of(days)}
        is_limited = openness != {Openness.FREE} and bool(self.months)
        number = 0 if found is None else int(found[MEMBERS])
        is_whole = _is_whole_months(days) and days.last < self.today
        if is_limited and (Openness.HIDDEN in openness or not is_whole or number < self.least):
            return nothing | {"memberCount": None, "isSuppressed": True, SPENDERS: None}
        row = nothing | {"memberCount": number, "isSuppressed": False, SPENDERS: None}
        for metric in chosen:
            if found is None or (metric.is_split and not self.has_splits):
                continue
            # Months are open by who worked in them, which says nothing of who used a tool.
            if metric.is_of_usage and self.least > 1:
                continue
            counted, share = int(found[f"{metric.name}_count"]), self.group.share
            if is_limited and (
                counted < self.least
                or (share is not None and not is_percentile_of_enough(counted, share, self.least))
            ):
                continue
            value = found[metric.name]
            row[metric.field] = value if self.group.is_index else metric.value(value)
        if found is not None and row.get(SPEND.field) is not None:
            row[SPENDERS] = int(found[f"{SPEND.name}_count"])
        return row


def rows_for(access: RowAccess, group: Group) -> RowAccess:
    """The rows of which a benchmark is made: of all developers, but only of visible work in repositories and teams."""
    return RowAccess(access.organization_id) if group.entity is DEVELOPERS else access


def cells(build: Build, access: RowAccess, asked: Reference, days: Range, today: date) -> Cells:
    """What the caller may see of a benchmark over these days. Repositories and teams need no more than their rows."""
    group, months = asked.group, months_of(days)
    if group.entity is not DEVELOPERS:
        return Cells(group, 1, dict.fromkeys(months, Openness.FREE), today, access.has_individuals)
    earlier = [one.current_ids(build) or frozenset() for one in asked.earlier]
    found = openness_in(build, access, group.current_ids(build), earlier, months)
    return Cells(group, least_people(access), found, today, least_people(access) <= 1)


def aggregated(group: Group, metrics: Iterable[Metric]) -> str:
    """The select list with one value per metric over rows of members, the members behind each, and all of them."""
    columns = [f"count(*) as {MEMBERS}"]
    for metric in metrics:
        value = f"cast({metric.name} as double)"
        one = f"avg({value})" if group.share is None else f"quantile_cont({value}, {group.share!r})"
        columns += [f"{one} as {metric.name}", f"count({metric.name}) as {metric.name}_count"]
    return ", ".join(columns)


def _is_whole_months(days: Range) -> bool:
    last_month = start_of(Interval.MONTH, days.last)
    return (
        start_of(Interval.MONTH, days.first) == days.first
        and last_of(Interval.MONTH, last_month) == days.last
    )
