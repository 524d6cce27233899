"""A CapEx policy of the invented organization, and commits whose category a person confirmed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from ingest.schemas.control import CAPEX_RULES, COMMIT_CATEGORIES
from tests.dbt import warehouse
from tests.dbt.invented.invented_history import ORGANIZATION_ID, Repository

# Month, repository, category of a change and main category of its commit: whether it can be capitalized.
Policy = Callable[[date, str, str, str], bool]
CHANGED = date(2025, 4, 1)


def default(month: date, repository: str, category: str, main: str) -> bool:
    return category == "features" or (category in ("tests", "documentation") and main == "features")


def own(repositories: Sequence[Repository]) -> Policy:
    """From April: fixes, tests of fixes, and all maintenance in the first repository."""

    def allows(month: date, repository: str, category: str, main: str) -> bool:
        if month < CHANGED:
            return default(month, repository, category, main)
        return (
            category == "fixes"
            or (category == "tests" and main == "fixes")
            or (
                main == "maintenance"
                and repository == repositories[0].id
                and category in ("maintenance", "tests")
            )
        )

    return allows


def rows(
    repositories: Sequence[Repository], built: Path, exclusions: Mapping[str, bool]
) -> dict[str, list[dict[str, Any]]]:
    """The rows of the control tables for that policy and the confirmed commits."""
    rules: list[tuple[str, str, str | None]] = [("fixes", "any", None), ("tests", "fixes", None)]
    rules += [(category, "maintenance", repositories[0].id) for category in ("maintenance", "tests")]
    named = {"organization_id": ORGANIZATION_ID, "policy_version": "own", "version_number": 1}
    rule_rows = [
        named
        | {"valid_from": CHANGED, "category": c, "commit_category": main, "repository_id": only}
        | {"issue_type": None, "objective_id": None}
        for c, main, only in rules
    ]
    confirmed_rows = [
        {"organization_id": ORGANIZATION_ID, "commit_id": row["commit_id"], "category": row["category"]}
        for row in confirmed(built, exclusions)
    ]
    assert set(CAPEX_RULES.names) == set(rule_rows[0])
    assert set(COMMIT_CATEGORIES.names) == set(confirmed_rows[0])
    return {"capex_rules": rule_rows, "commit_categories": confirmed_rows}


def confirmed(built: Path, exclusions: Mapping[str, bool]) -> list[dict[str, Any]]:
    """The five least certain commits that nobody excluded or counted by hand."""
    return [row for row in least_certain(built) if row["commit_sha"] not in exclusions][:5]


def least_certain(built: Path) -> list[dict[str, Any]]:
    query = """
        select uncertain.*, commits.commit_sha
        from uncertain_commits as uncertain inner join commits_by_time as commits using (commit_id)
        order by deviation_micro desc, commit_id
    """
    return warehouse.rows(built, query)
