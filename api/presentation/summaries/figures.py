"""What a fact is called where its value stands alone, such as in a table of restated values.

Keep out: sentences (composing/).
"""

from __future__ import annotations

from collections.abc import Mapping

from api.presentation.summaries.document import Cell, Part, Text, subject
from api.presentation.summaries.facts import Fact

# By the family of the fact. A list has its things behind the words: `ETV of Fix the parser (web#12)`.
NAMES: Mapping[str, str] = {
    "etv": "ETV",
    "commits": "Commits",
    "people": "People who delivered",
    "merged_pull_requests": "Merged pull requests",
    "ai_share": "Share of AI in the ETV",
    "ai_spend": "AI spend",
    "ai_unit_cost": "AI spend per total ETV",
    "ai_users": "People who delivered and whose use of AI tools is recorded",
    "ai_spend_unattributed": "AI spend without a known person",
    "ai_spend_other": "AI spend in",
    "alignment": "Share of the ETV that reaches an objective",
    "unaligned": "ETV without an objective",
    "performance": "Performance",
    "rework_share": "Share of new work that was taken back",
    "pickup_hours": "Median wait for the first review",
    "cycle_hours": "Median time of a pull request until its merge",
    "delivery": "ETV of",
    "unaligned_delivery": "ETV of",
    "objective": "ETV of",
    "objective_progress": "Issues done of",
    "objective_target": "Target date of",
    "check_open": "Open check of",
    "check_open_kind": "Limit of",
    "checks_opened": "New findings of checks",
    "checks_ended": "Findings of checks that are over",
    "checks_open": "Findings of checks that last",
    "joined": "Day on which somebody joined:",
    "left": "Last day of",
    "bug_origins": "Fixes of bugs with a likely origin",
    "young_fixes": "Fixes of changes younger than thirty days",
    "capex_hours": "Hours that can be capitalized",
    "capex_share": "Share of the hours with output that can be capitalized",
}
_OF_KEYS: Mapping[str, Mapping[str, str]] = {
    "cause": {
        "changes": "Difference of the ETV by the number of file changes",
        "size": "Difference of the ETV by the size of changes",
        "mix": "Difference of the ETV by the mix of categories",
        "rework": "Difference of the ETV by work taken back",
        "value": "Difference of the ETV by the value of changes",
        "other": "Difference of the ETV by other causes",
    },
    "etv_quarter": {
        "1": "ETV of the quarter before",
        "2": "ETV, two quarters before",
        "3": "ETV, three quarters before",
        "4": "ETV, four quarters before",
    },
    "decision": {
        "uncertain_commits": "Commits with an uncertain category",
        "merge_suggestions": "Pairs of names that may be one person",
    },
    "uncounted": {"provisional": "ETV that may change"},
}
# What a basis counts, where it is told by itself.
_BASES: Mapping[str, str] = {
    "bug_origins": "Fixes of bugs",
    "joined": "New people",
    "left": "People who left",
}


def figure(fact: Fact, field: str = "value") -> Cell:
    """What a field of a fact is called: words, and the title of what it is about."""
    if field == "basis":
        counted = _BASES.get(fact.family)
        return (Text(counted),) if counted else (Text(f"Number behind: {_name(fact)}"), *_about(fact))
    found = (Text(_name(fact)), *_about(fact))
    if field == "previous":
        return (*found, Text(f", the {fact.period} before"))
    if field in ("low", "high"):
        return (*found, Text(f", {'lowest' if field == 'low' else 'highest'} usual value"))
    return found


def _about(fact: Fact) -> tuple[Part, ...]:
    return (Text(" "), subject(fact)) if fact.subject_title and fact.subject_type != "CATEGORY" else ()


def _name(fact: Fact) -> str:
    if fact.family == "three_months":
        family, _, key = fact.key.partition(".")
        return f"{_called(family, key)}, mean of the three months before"
    return _called(fact.family, fact.key)


def _called(family: str, key: str) -> str:
    if family == "category_share":
        return f"Share of {key} in the ETV"
    if family == "objective_category":
        return f"ETV of {key.partition('.')[2]} for"
    known = _OF_KEYS.get(family, {}).get(key) or NAMES.get(family)
    return known or (key if family == "uncounted" else family).replace("_", " ").capitalize()
