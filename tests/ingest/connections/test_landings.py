"""Comments that say where a pull request landed, and comments that merely name a commit."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from ingest.connections.git_hosts.landings import comment_events, commit_of_landing, entitled
from ingest.connections.git_hosts.records import Event

SHORT, FULL = "1f2e3d4", "1f2e3d4c5b6a7f8e9d0c1b2a3f4e5d6c7b8a9f0e"
PAGE = f"https://git.example.org/acme/shop/commit/{FULL}"
LANDINGS = (
    (f"Landed in {SHORT}", SHORT),
    (f"Thanks, landed in `{SHORT}`!", SHORT),
    (f"Landed in {PAGE}.", FULL),
    (f"Merged to main as [`{SHORT}`]({PAGE})", FULL),
    (f"Landed in 0a0a0a0...{SHORT}", SHORT),
    (f"Landed in 0a0a0a0 and {SHORT}, thank you!", SHORT),
    (f"CI is green.\n\nPushed as {SHORT}", SHORT),
    (f"Committed as {SHORT.upper()} 🎉", SHORT),
    (f"This has been merged manually in {SHORT} with small tweaks", SHORT),
    (f"**Landed** on trunk in acme/shop@{SHORT}", SHORT),
)
MENTIONS = (
    f"This broke after it landed in {SHORT}.",
    f"Has this landed in {SHORT}?",
    f"Landed in {SHORT}?",
    f"> Landed in {SHORT}",
    f"```\nLanded in {SHORT}\n```",
    f"Superseded by #3, which landed in {SHORT}",
    f"The fix landed in {SHORT}",
    f"Landed in {SHORT}, reverted in 0a0a0a0",
    f"Pushed a fix in {SHORT}",
    f"Not merged in {SHORT}",
    "Landed in #1234567",
    "Merged in version 1.2",
)
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.mark.parametrize(("comment", "sha"), LANDINGS)
def test_a_comment_says_where_the_work_landed(comment: str, sha: str) -> None:
    assert commit_of_landing(comment) == sha


@pytest.mark.parametrize("comment", MENTIONS)
def test_a_comment_that_mentions_a_commit_is_no_landing(comment: str) -> None:
    assert commit_of_landing(comment) is None


@pytest.mark.parametrize(
    ("closer", "writers", "is_landing"),
    [
        ("eve", (), True),
        ("ann", (), False),
        ("zoe", (), False),
        ("ann", ("eve",), True),
        (None, (None,), False),
    ],
)
def test_only_who_writes_in_the_repository_may_say_it(
    closer: str | None, writers: tuple[str | None, ...], is_landing: bool
) -> None:
    """Ann opened the pull request, and Eve says that it landed."""
    said = list(comment_events(f"Landed in {SHORT}", NOON, "eve", "person"))
    nobody = list(comment_events(f"Landed in {SHORT}", NOON, None, "unknown"))
    closed = Event("closed", NOON + timedelta(minutes=1), closer, "person")
    found = entitled([*said, *nobody, closed], "ann", writers)
    landings = [(event.actor, event.detail) for event in found if event.kind == "landed"]
    assert landings == ([("eve", SHORT)] if is_landing else [])
    assert [event.kind for event in found if event.kind != "landed"] == ["commented", "commented", "closed"]
