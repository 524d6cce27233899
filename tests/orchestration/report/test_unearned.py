"""Work without ETV: reasons, alerts and the largest commits, against totals computed by hand."""

import io
from datetime import timedelta
from pathlib import Path

import duckdb
import pytest
from rich.console import Console

from orchestration.report import unearned_tables
from tests.orchestration.report.snapshot_rows import (
    MONDAY,
    ORGANIZATION,
    Insert,
    day,
    read,
    reason,
    shown,
)


@pytest.fixture
def unearned(busy: tuple[Path, Insert]) -> tuple[Path, Insert]:
    """Two reasons with a limit for alerts, and one without."""
    root, insert = busy
    for position, (code, title, threshold) in enumerate(
        [
            ("IMPORT", "Imported code", 100_000),
            ("MERGE", "Merges", None),
            ("GENERATED", "Generated files", 100_000),
        ]
    ):
        insert(
            "zero_reasons",
            zero_reason=code,
            position=position,
            title=title,
            description=f"Why {title.lower()}.",
            warning_share_micro=threshold,
        )
    return root, insert


def test_reasons_and_counted_lines_add_up(unearned: tuple[Path, Insert]) -> None:
    root, insert = unearned
    long_ago = MONDAY - timedelta(weeks=60)
    day(insert, MONDAY, 1.0)
    reason(insert, None, commits=6, lines=500)
    reason(insert, None, commits=1, lines=50, on=long_ago)
    reason(insert, "IMPORT", commits=2, lines=400, on=long_ago)
    reason(insert, "GENERATED", commits=0, lines=45)
    reason(insert, "GENERATED", commits=0, lines=5, on=long_ago)
    reason(insert, "MERGE", commits=11, lines=0)
    reason(insert, "IMPORT", commits=100, lines=9_000, repository="r2")
    found = read(root, ["r1"]).unearned
    assert (found.commits, found.lines) == (20, 1_000)
    assert (found.counted.commits, found.counted.lines, found.counted.recent_lines) == (7, 550, 500)
    taken = [
        (one.code, one.commits, one.lines, one.recent_commits, one.recent_lines) for one in found.reasons
    ]
    assert taken == [("IMPORT", 2, 400, 0, 0), ("GENERATED", 0, 50, 0, 45), ("MERGE", 11, 0, 11, 0)]


def test_the_report_tells_all_commits_that_were_read(unearned: tuple[Path, Insert]) -> None:
    """The table has those of the default branch; the rest is named, so that nothing is missing."""
    root, insert = unearned
    day(insert, MONDAY, 1.0)
    reason(insert, None, commits=1_000, lines=10)
    reason(insert, "MERGE", commits=199, lines=0)
    insert("commits_by_time", commit_id="c0", repository_id="r1", delivery_sha="0")
    with duckdb.connect(str(root / ORGANIZATION / "b1.duckdb")) as connection:
        # One statement for each row would take seconds.
        connection.execute(
            "insert into commits_by_time select commits_by_time.* replace (concat('c', number) as commit_id,"
            " if(number < 1199, number::varchar, null) as delivery_sha)"
            " from commits_by_time, range(1, 1490) as numbers(number)"
        )
    insert("commits_by_time", commit_id="other", repository_id="r2", delivery_sha=None)
    found = read(root, ["r1"])
    assert found.unearned.commits + found.unearned.undelivered == 1_490
    text = shown(found)
    assert "291 more commits were read, which the default branch does not have." in " ".join(text.split())
    total = next(line for line in text.splitlines() if line.startswith(" Total"))
    assert total.split() == ["Total", "1,199", "10", "1,199", "10"]


def test_a_reason_above_a_tenth_of_a_repository_is_an_alert(unearned: tuple[Path, Insert]) -> None:
    root, insert = unearned
    day(insert, MONDAY, 1.0)
    reason(insert, None, commits=9, lines=50)
    reason(insert, "IMPORT", commits=1, lines=40)
    reason(insert, "GENERATED", commits=0, lines=10)
    reason(insert, "MERGE", commits=90, lines=0)
    reason(insert, None, commits=89, lines=89, repository="r2")
    reason(insert, "GENERATED", commits=11, lines=11, repository="r2")
    found = read(root, ["r1", "r2"])
    alerts = [(alert.repository, alert.title) for alert in found.unearned.alerts]
    assert alerts == [("owner/r1", "Imported code"), ("owner/r2", "Generated files")]
    words = " ".join(shown(found).split())
    assert (
        "Look at this: owner/r1: 40 % of the new lines and 1 % of the commits have no ETV: imported code. "
        "Why imported code."
    ) in words
    assert [alert.repository for alert in read(root, ["r2"]).unearned.alerts] == ["owner/r2"]


def test_the_largest_commits_are_shown_with_their_page(unearned: tuple[Path, Insert]) -> None:
    root, insert = unearned
    day(insert, MONDAY, 1.0)
    reason(insert, "IMPORT", commits=4, lines=1_000)
    for number in range(4):
        insert(
            "zero_reason_commits",
            commit_id=f"c{number}",
            commit_sha=f"{number}" * 40,
            zero_reason="IMPORT",
            repository_id="r1",
            repository_name="owner/r1",
            delivered_on=MONDAY,
            author_name="Ada \x1b[2J",
            subject=f"Bring library {number}\x07 [bold]in[/bold]",
            lines_added=100 * (number + 1),
            commit_url="https://github.com/owner/r1/commit/" + f"{number}" * 40,
        )
    found = read(root, ["r1"])
    assert [commit.lines for commit in found.unearned.reasons[0].largest] == [400, 300, 200]
    text = shown(found)
    assert "\x1b[2J" not in text
    assert "\x07 [bold]in" not in text
    assert f"https://github.com/owner/r1/commit/{'3' * 10}" in text
    for part in ("3333333333", "Bring library 3 [bold]in[/bold]", "Imported code, Ada"):
        assert part in text
    assert "0000000000" not in text


def test_a_commit_without_counted_lines_shows_its_explanation(
    unearned: tuple[Path, Insert],
) -> None:
    root, insert = unearned
    insert(
        "zero_reasons", zero_reason="NO_COUNTED_LINES", position=9, title="No new work", description="Moved."
    )
    reason(insert, "NO_COUNTED_LINES", commits=1, lines=80)
    for name, is_counted in (("a", False), ("b", True)):
        insert(
            "zero_reason_commits",
            commit_id=name,
            commit_sha=name * 40,
            zero_reason="NO_COUNTED_LINES",
            repository_id="r1",
            delivered_on=MONDAY,
            author_name="Ada",
            repository_name="r1",
            subject="s",
            lines_added=40,
        )
        insert(
            "commits_by_time",
            commit_id=name,
            is_counted=is_counted,
            explanation=f"40 lines of {name}: 40 moved",
        )
    text = shown(read(root, ["r1"]))
    assert "No new work, Ada: 40 lines of a: 40 moved" in text
    assert "No new work, Ada; the rest of the commit counts" in text
    assert "40 lines of b" not in text


def test_the_table_of_reasons_fits_into_eighty_columns(unearned: tuple[Path, Insert]) -> None:
    root, insert = unearned
    reason(insert, "IMPORT", commits=85_361, lines=1_234_567)
    reason(insert, None, commits=85_361, lines=123_456)
    out = io.StringIO()
    unearned_tables.show(Console(file=out, width=80), read(root, ["r1"]).unearned, with_repository=True)
    lines = out.getvalue().splitlines()
    assert any("Imported code" in line and "1,234,567" in line and "91 %" in line for line in lines)
    assert not any("…" in line and "GET" not in line for line in lines)
    assert max(len(line.rstrip()) for line in lines) <= 80


def test_a_report_without_reasons_omits_the_section(busy: tuple[Path, Insert]) -> None:
    root, insert = busy
    day(insert, MONDAY, 1.0)
    reason(insert, None, commits=1, lines=5)
    assert "Work without ETV" not in shown(read(root, ["r1"]))
