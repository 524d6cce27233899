"""Names of sections, columns and lists as people write them."""

import pytest

from ingest.connections.trackers.status_words import category_of_name
from ingest.providers.github.items import _category as category_of_column
from ingest.providers.gitlab.history import category_of

NAMES = {
    "todo": (
        "To do", "TODO", "to-do", "To be reviewed", "Not started", "Not yet started", "Unstarted", "Inactive",
        "Unreviewed", "Incomplete", "Backlog", "Product backlog", "Icebox", "New", "Open", "Planned", "Ready",
        "Ready for development", "ready for dev", "Refinement", "Up next", "Triage", "Queue", "Not doing yet",
    ),
    "doing": (
        "In progress", "in_progress", "Doing", "Started", "Active", "In review", "Review", "Reviewing", "Code review",
        "Ready for review", "Ready for QA", "Testing", "In test", "QA", "Development", "In Dev", "Developing",
        "Blocked", "On hold", "WIP", "Work in progress",
    ),
    "done": ("Done", "Completed", "Complete", "Finished", "Shipped", "Released", "Closed", "Live", "Deployed"),
    "canceled": ("Canceled", "Cancelled", "Won't do", "Wont fix", "Dropped", "Rejected", "Duplicate", "Obsolete"),
}  # fmt: skip
OPEN_ISSUE = {"state": "OPEN"}


@pytest.mark.parametrize(
    ("category", "name"), [(one, name) for one, names in NAMES.items() for name in names], ids=str
)
def test_a_name_tells_its_category(category: str, name: str) -> None:
    assert category_of_name(name) == category
    # An open issue is in one of two.
    assert category_of_column(OPEN_ISSUE, name) == ("doing" if category == "doing" else "todo")
    assert category_of(f"workflow::{name}") == ("todo" if category == "todo" else "doing")


@pytest.mark.parametrize(
    "name", ["Backend", "Frontend", "Untitled", "Delivery", "Latest", "Donetsk", "Newsletter"]
)
def test_a_name_without_a_known_word_tells_none(name: str) -> None:
    assert category_of_name(name) is None
