"""Issues and objectives of a tracker with random states and dates, which no commit names."""

from __future__ import annotations

import random
from datetime import date, datetime, timedelta

from tests.dbt.invented.invented_pull_requests import START, Row
from tests.dbt.invented.invented_trackers import LINEAR, item
from tests.dbt.pull_requests.reviewed_branches import ADA, KEN

# To whom items are assigned: by address, by a name, by a name of nobody, and to nobody.
OWNERS: tuple[dict[str, str | None], ...] = (
    {"assignee_email": ADA[1].upper()},
    {"assignee_name": KEN[0]},
    {"assignee_name": "No Body"},
    {},
)
# Of these, the tracker knows a team that is a team of the organization.
TEAM_KEY = "PAY"


def history(status: str, started: datetime, updated: datetime) -> list[Row]:
    """An issue that rested for a while, whose state changed long before somebody last commented on it."""
    step = (updated - started) / 8
    states = ["doing", "todo", "doing", *([] if status == "doing" else [status])]
    return [
        {"field": "status", "at": started + place * step, "before": None, "after": name, "after_category": name,
         "actor": None}
        for place, name in enumerate(states)
    ]  # fmt: skip


def random_items(count: int = 80, seed: int = 3) -> list[Row]:
    """Rows of a tracker. Some have no dates, and some were never started."""
    dice = random.Random(seed)
    rows = []
    for number in range(count):
        created = START + timedelta(hours=dice.randrange(24 * 60))
        started = created + timedelta(hours=dice.randrange(200))
        status = dice.choice(("todo", "doing", "doing", "done", "canceled"))
        updated = started + timedelta(hours=dice.randrange(400))
        rows.append(
            item(
                LINEAR, f"random {number}", dice.choice(("issue", "issue", "project")), status_category=status,
                created_at=created, updated_at=updated,
                started_at=None if dice.random() < 0.3 else started,
                completed_at=started + timedelta(hours=dice.randrange(1, 400)) if status == "done" else None,
                target_on=None if dice.random() < 0.3 else date(2025, 3, 1) + timedelta(days=dice.randrange(70)),
                team_key=TEAM_KEY if number % 5 == 0 else None,
                history=history(status, started, updated) if number % 3 == 0 else [],
                **OWNERS[number % len(OWNERS)],
            )
        )  # fmt: skip
    return rows
