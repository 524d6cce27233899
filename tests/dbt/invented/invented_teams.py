"""Teams of the invented organization: three levels, moves, and a person in two teams under two addresses."""

from __future__ import annotations

import uuid
from datetime import date
from typing import Any

from tests.dbt.invented.invented_history import ORGANIZATION_ID
from tests.dbt.invented.invented_identities import developer_id

Row = dict[str, Any]

TEAMS = {
    "Engineering": None,
    "Platform": "Engineering",
    "Payments": "Engineering",
    "Ledger": "Payments",
    "Empty": None,
}

ADA, ADA_AT_HOME, GRACE, DEVIN = (
    "ada@example.net",
    "12345+ada@users.noreply.github.com",
    "grace@navy.example.net",
    "devin@people.example.net",
)
# Address, team, first and last day. Ada's two addresses turn out to be one person: the membership that began last
# holds, and what goes on after it holds again.
MEMBERSHIPS: list[tuple[str, str, date, date | None]] = [
    (ADA, "Platform", date(2025, 1, 1), date(2025, 3, 31)),
    (ADA_AT_HOME, "Ledger", date(2025, 1, 10), date(2025, 1, 20)),
    (ADA_AT_HOME, "Ledger", date(2025, 2, 15), None),
    (ADA, "Platform", date(2025, 5, 1), date(2025, 5, 20)),
    (GRACE, "Payments", date(2025, 1, 1), date(2025, 2, 10)),
    (GRACE, "Platform", date(2025, 3, 1), None),
    (DEVIN, "Engineering", date(2025, 1, 1), None),
    ("nobody@example.net", "Platform", date(2025, 1, 1), None),
]


def team_id(name: str) -> str:
    return str(uuid.uuid5(uuid.UUID(ORGANIZATION_ID), f"team {name}"))


def rows() -> dict[str, list[Row]]:
    """The rows of the control tables."""
    teams = [
        {
            "organization_id": ORGANIZATION_ID,
            "team_id": team_id(name),
            "parent_id": team_id(parent) if parent else None,
            "name": name,
        }
        for name, parent in TEAMS.items()
    ]
    memberships = [
        {
            "organization_id": ORGANIZATION_ID,
            "team_id": team_id(team),
            "developer_id": developer_id(address),
            "start_on": start,
            "end_on": end,
        }
        for address, team, start, end in MEMBERSHIPS
    ]
    return {"teams": teams, "team_memberships": memberships}
