"""The CapEx of past months under another policy, computed from the published evidence of the report."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from api.access.row_access import RowAccess
from api.control.capex.policies import ANY, Rule
from api.query.conditions import Condition, both, days
from api.snapshot.build import Build

HUNDREDTHS = 100


@dataclass(slots=True)
class PreviewedMonth:
    """Hundredths of hours of a month under the current and the other policy, and the developers with a changed row."""

    month: date
    policy_version: str
    hours: int = 0
    capex_hours: int = 0
    proposed_capex_hours: int = 0
    developers: int = 0
    changed_developers: int = field(default=0)


def preview(
    build: Build, access: RowAccess, rules: Sequence[Rule], valid_from: date, end: date | None
) -> list[PreviewedMonth]:
    """Completed months from `valid_from` to before `end` (None: all), in order, under these rules."""
    source, parameters = _capitalizable(build, access, rules, valid_from, end)
    rows = build.rows(
        f"""
        select
            report.month, report.policy_version,
            cast(round(report.hours * {HUNDREDTHS}) as bigint) as hours,
            cast(round(report.capex_hours * {HUNDREDTHS}) as bigint) as capex_hours,
            report.effort_micro, coalesce(proposed.effort_micro, 0) as proposed_effort_micro
        from {access.table(build, "capex")} as report
        left join ({source}) as proposed
            on report.month = proposed.month and report.developer_id = proposed.developer_id
        where not report.is_draft and {_months("report.month", valid_from, end).sql}
        order by report.month
        """,
        parameters,
    )
    months: dict[date, PreviewedMonth] = {}
    for row in rows:
        month = months.setdefault(row["month"], PreviewedMonth(row["month"], row["policy_version"]))
        proposed = share(row["hours"], row["proposed_effort_micro"], row["effort_micro"])
        month.hours += row["hours"]
        month.capex_hours += row["capex_hours"] or 0
        month.proposed_capex_hours += proposed or 0
        month.developers += 1
        month.changed_developers += proposed != row["capex_hours"]
    return list(months.values())


def share(hours: int, part: int, whole: int) -> int | None:
    """`hours × part ÷ whole`, rounded half up, as the warehouse does; None without output."""
    return (2 * hours * part + whole) // (2 * whole) if whole > 0 else None


def _capitalizable(
    build: Build, access: RowAccess, rules: Sequence[Rule], valid_from: date, end: date | None
) -> tuple[str, tuple[Any, ...]]:
    """Effort that can be capitalized under the rules, by month and developer. Work that several rules name counts
    once.
    """
    ways = [
        both(
            Condition("category = ?", (rule.category,)),
            Condition("true" if rule.commit_category == ANY else "commit_category = ?", _given(rule)),
            Condition("true" if rule.repository_id is None else "repository_id = ?", _only(rule)),
            _contains("issue_types", rule.issue_type and rule.issue_type.lower()),
            _contains("objective_ids", rule.objective_id),
        )
        for rule in rules
    ]
    any_rule = " or ".join(f"({way.sql})" for way in ways) or "false"
    sql = f"""
        select month, developer_id, cast(sum(effort_micro) as bigint) as effort_micro
        from {access.table(build, "capex_evidence")}
        where {_months("month", valid_from, end).sql} and ({any_rule})
        group by month, developer_id
    """
    return sql, tuple(value for way in ways for value in way.parameters)


def _given(rule: Rule) -> tuple[str, ...]:
    return () if rule.commit_category == ANY else (rule.commit_category,)


def _only(rule: Rule) -> tuple[str, ...]:
    return () if rule.repository_id is None else (rule.repository_id,)


def _contains(column: str, value: str | None) -> Condition:
    return Condition("true") if value is None else Condition(f"list_contains({column}, ?)", (value,))


def _months(column: str, first: date, end: date | None) -> Condition:
    before_end = Condition("true") if end is None else Condition(f"{column} < date '{end}'")
    return both(days(column, first, None), before_end)
