"""Measures of usage of AI tools, and sums of numbers that outside programs send.

Keep out: metrics that are made of them (metrics.py).
"""

LARGEST = 10**18
"""The largest number of usage: `largest_usage` in dbt_project.yml. Sums stand at it, or enough large events would make
a sum of more than 64 bits, which no query answers."""


def capped(number: str) -> str:
    """SQL of a whole number that stands at LARGEST where it is larger. Null stays null."""
    return f"case when {number} is not null then greatest(least({number}, {LARGEST}), -{LARGEST})::bigint end"


def mean_confidence(cost: str, confidence: str) -> str:
    """SQL of the mean confidence (millionths) of a group's positive costs, weighted by cost; null where the sum of all
    costs is not positive.

    As `summed_cost` in dbt_project/macros/ai_costs.sql. Corrections of vendors are negative: as weights they could lift
    the mean above 1.
    """
    weighs = f"filter ({cost} > 0 and {confidence} is not null)"
    mean = f"round(sum({cost}::double * {confidence}) {weighs} / sum({cost}) {weighs})::integer"
    return f"case when sum({cost}) > 0 then {mean} end"


# All measures: `measures_of_usage` in dbt_project.yml.
USAGE = {
    name: capped(f"sum({name})")
    for name in (
        "usage_cost_nano",
        "usage_tokens",
        "usage_days",
        "usage_sessions",
        "usage_lines_suggested",
        "usage_lines_accepted",
    )
}
