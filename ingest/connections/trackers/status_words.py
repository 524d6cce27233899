"""The category of a status whose provider gives none: read from the words of its name.

Asana's sections, GitHub's columns and GitLab's lists are names that people choose. Keep out: what a tracker does with a
name without a known word.
"""

from __future__ import annotations

import re

from ingest.connections.trackers.records import StatusCategory


def _words(*parts: str) -> re.Pattern[str]:
    """Words of a name; each part is the whole of a word or of several."""
    return re.compile(rf"(?<![a-z])(?:{'|'.join(parts)})(?![a-z])", re.IGNORECASE)


# The first that fits counts: what is not done comes before what is done.
WORDS: tuple[tuple[re.Pattern[str], StatusCategory], ...] = (
    (
        _words(
            r"cancel(?:l?ed)?", r"won'?t\W+(?:do|fix)", "dropped", "rejected", "declined", "duplicate", "obsolete",
            "abandoned",
        ),
        "canceled",
    ),
    (
        _words(
            r"not (?:yet )?\w+", r"to\W?do", r"to be \w+", "backlog", "icebox", "inbox", "new", "open", "planned",
            r"un(?:started|reviewed|assigned|planned|resolved)", "inactive", "incomplete", "upcoming", "next", "later",
            "ideas?", "triage", "queued?", r"refine\w*", r"ready(?! for )",
            r"ready for (?:dev\w*|work|implementation|start\w*)",
        ),
        "todo",
    ),
    (
        _words(
            "progress", "doing", r"review\w*", "started", "active", "dev", r"develop\w*", "testing", "tests?", "qa",
            "blocked", "hold", "wip", r"ready for \w+",
        ),
        "doing",
    ),
    (
        _words(
            "done", "completed?", "finished", "shipped", "released", "closed", "live", "deployed", "resolved"
        ),
        "done",
    ),
)  # fmt: skip


def category_of_name(name: str) -> StatusCategory | None:
    """The category that a name tells; None for a name without a known word."""
    plain = name.replace("_", " ").replace("-", " ")
    return next((category for words, category in WORDS if words.search(plain)), None)
