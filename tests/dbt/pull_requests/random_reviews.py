"""Pull requests of a host with random events: drafts, answers of people and bots, withdrawals, late comments."""

from __future__ import annotations

import random
from datetime import timedelta

from tests.dbt.invented.invented_pull_requests import START, Row, event, pull_request, source_commit

REVIEWERS = (
    ("grace", "person"), ("Linus", "person"), ("ADA", "person"), ("coderabbitai[bot]", "bot"),
    ("release-bot", "person"), ("copilot", "bot"), ("ken", "person"),
)  # fmt: skip
ADA = ("Ada Lovelace", "ada@example.org")
AUTHORS = (*[("Ada", "person")] * 8, ("dependabot[bot]", "bot"), ("Copilot", "bot"))
MERGERS = ("Ken", "Ken", "Ada", "dependabot[bot]", "Copilot", None)
KINDS = ("approved", "changes_requested", "reviewed", "commented", "unapproved", "ready", "draft")


def random_reviews(repository_id: str, count: int = 400, seed: int = 5) -> list[Row]:
    """Rows of a host, most by `ada` and some by robots. Some end before their last events."""
    dice, more, asking = (random.Random(seed + number) for number in range(3))
    rows = []
    for number in range(1, count + 1):
        created = START + timedelta(minutes=dice.randrange(60 * 24 * 90))
        moments = sorted(dice.sample(range(1, 60 * 24 * 12), dice.randrange(9)))
        events = [
            event(dice.choice(KINDS), created + timedelta(minutes=at), *dice.choice(REVIEWERS)) for at in moments
        ]  # fmt: skip
        if dice.random() < 0.5:
            # Closed for a while, and once more than it was opened again.
            turns = sorted(dice.sample(range(1, 60 * 24 * 12), 3))
            events += [
                event(kind, created + timedelta(minutes=at), "Ada")
                for kind, at in zip(
                    ("closed", dice.choice(("closed", "reopened")), "reopened"), turns, strict=True
                )
            ]
        asked = asking.sample(("Grace", "ken", "nobody"), asking.randrange(3))
        events += [
            event(
                "review_requested",
                created + timedelta(minutes=asking.randrange(60 * 24 * 12)),
                "Ada",
                detail=one,
            )
            for one in asked
            if asking.random() < 0.5
        ]
        state = dice.choice(("open", "merged", "merged", "closed"))
        end = created + timedelta(minutes=dice.randrange(1, 60 * 24 * 14))
        written = [
            source_commit(
                f"{number:020x}{at:020x}", *ADA, author_login="ada",
                authored_at=created + timedelta(hours=dice.randrange(-90, 90)),
            )
            for at in range(dice.randrange(3))
        ]  # fmt: skip
        # Amended one by one, or rebased within a second.
        rebased_at = created + timedelta(hours=more.randrange(90))
        is_rebased = more.random() < 0.3
        for one in written:
            amended_at = one["authored_at"] + timedelta(hours=more.choice((0, 0, 30)))
            one["committed_at"] = max(rebased_at, one["authored_at"]) if is_rebased else amended_at
        author, author_kind = more.choice(AUTHORS)
        rows.append(
            pull_request(
                repository_id, number, state=state, created_at=created, updated_at=end,
                closed_at=None if state == "open" else end, merged_at=end if state == "merged" else None,
                merged_by=more.choice(MERGERS) if state == "merged" else None,
                is_draft=state == "open" and dice.random() < 0.4, author=author, author_kind=author_kind,
                lines_added=more.choice((None, 3, 150, 399, 400, 950, 1000, 2500)), events=events, reviewers=asked,
                commits=written,
            )
        )  # fmt: skip
    return rows
