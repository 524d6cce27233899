"""Figures and tables of a snapshot made by hand, against totals computed by hand."""

import io
import json
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest
from rich.console import Console

from orchestration.report import figures, snapshot, tables, unearned_tables
from orchestration.report.capex import commits_to_confirm, confirmation_sentence
from orchestration.report.snapshot import NothingPublished, Snapshot
from tests.published_tables import create_marts, fill

NEUTRAL: dict[str, Any] = {"BOOLEAN": False, "INTEGER": 0, "BIGINT": 0}
ORGANIZATION = "o1"
MONDAY = date(2024, 5, 6)  # the last complete week begins here
MICRO = 1_000_000

Insert = Callable[..., None]


@pytest.fixture
def published(tmp_path: Path) -> Iterator[tuple[Path, Insert]]:
    """An empty snapshot, and a function that adds a row to a table; missing values are neutral."""
    folder = tmp_path / ORGANIZATION
    folder.mkdir()
    with duckdb.connect(str(tmp_path / "marts.duckdb")) as marts:
        create_marts(marts)
    fill(tmp_path / "marts.duckdb", folder / "b1.duckdb")
    connection = duckdb.connect(str(folder / "b1.duckdb"))

    def insert(table: str, **values: Any) -> None:
        columns = connection.execute(f"describe {table}").fetchall()
        row = {name: NEUTRAL.get(kind) for name, kind, *_ in columns} | values
        marks = ", ".join("?" * len(row))
        connection.execute(f"insert into {table} ({', '.join(row)}) values ({marks})", list(row.values()))

    (folder / "current.json").write_text(json.dumps({"build_id": "b1", "file": "b1.duckdb"}))
    yield tmp_path, insert
    connection.close()


@pytest.fixture
def busy(published: tuple[Path, Insert]) -> tuple[Path, Insert]:
    """An organization with two repositories, two people and a bot."""
    root, insert = published
    insert(
        "organizations",
        organization_id=ORGANIZATION,
        name="Local",
        time_zone="UTC",
        last_complete_week_start=MONDAY,
        last_complete_month_start=date(2024, 4, 1),
    )
    for repository in ("r1", "r2"):
        insert("repositories", repository_id=repository, name=f"owner/{repository}")
    for developer, name in (("d1", "Ada"), ("d2", "Grace"), ("d3", "robot")):
        insert("developers", developer_id=developer, name=name)
    return root, insert


def day(
    insert: Insert,
    on: date,
    etv: float,
    *,
    who: str = "d1",
    repository: str = "r1",
    category: str = "features",
    ai: float = 0.0,
    commits: int = 1,
    is_bot: bool = False,
) -> None:
    insert(
        "daily",
        delivered_on=on,
        repository_id=repository,
        developer_id=who,
        category=category,
        etv_micro=int(etv * MICRO),
        ai_etv_micro=int(ai * MICRO),
        ai_commits=1 if ai else 0,
        commits=commits,
        is_bot=is_bot,
    )


def read(root: Path, ids: list[str]) -> figures.Figures:
    return figures.read(opened(root), ids)


def opened(root: Path) -> Snapshot:
    """Open a snapshot, which its writer may still have open."""
    file = root / ORGANIZATION / "b1.duckdb"
    return Snapshot("b1", file, duckdb.connect(str(file)))


def test_weeks_and_categories_are_sums_without_bots_and_other_repositories(
    busy: tuple[Path, Insert],
) -> None:
    root, insert = busy
    day(insert, MONDAY, 3.5, category="features")
    day(insert, MONDAY + timedelta(days=6), 2.0, who="d2", category="fixes", ai=1.0, commits=4)
    day(insert, MONDAY - timedelta(days=1), 8.0, who="d2")
    day(insert, MONDAY, 100.0, repository="r2")
    day(insert, MONDAY, 0.0, who="d3", is_bot=True, commits=7)
    found = read(root, ["r1"])
    before, last = found.weeks
    assert (before.name, before.etv) == ("2024-W18 (29 Apr)", 8.0)
    assert (last.name, last.etv, last.commits) == ("2024-W19 (06 May)", 5.5, 5)
    assert {name: value for name, value in last.categories.items() if value} == {
        "features": 3.5,
        "fixes": 2.0,
    }
    assert (last.ai_etv, last.ai_commits) == (1.0, 1)
    assert [(line.name, line.etv) for line in found.developers] == [("Grace", 10.0), ("Ada", 3.5)]
    assert found.bots
    assert (found.bots.commits, found.bots.etv) == (7, 0.0)
    assert found.other_repositories == 1


def test_weeks_without_deliveries_are_shown_between_those_with_some(busy: tuple[Path, Insert]) -> None:
    root, insert = busy
    day(insert, MONDAY, 1.0)
    day(insert, MONDAY - timedelta(weeks=3), 1.0)
    assert [line.etv for line in read(root, ["r1"]).weeks] == [1.0, 0.0, 0.0, 1.0]


def test_at_most_twelve_weeks_are_shown(busy: tuple[Path, Insert]) -> None:
    root, insert = busy
    for weeks in range(40):
        day(insert, MONDAY - timedelta(weeks=weeks), 1.0)
    found = read(root, ["r1"])
    assert len(found.weeks) == 12
    assert found.weeks[-1].name.startswith("2024-W19")
    assert not found.is_dormant


def test_a_dormant_repository_shows_the_last_twelve_weeks_with_deliveries(busy: tuple[Path, Insert]) -> None:
    root, insert = busy
    for number in range(14):
        day(insert, date(2020, 1, 6) + timedelta(weeks=5 * number), float(number + 1))
    found = read(root, ["r1"])
    assert found.is_dormant
    assert [line.etv for line in found.weeks] == [float(n) for n in range(3, 15)]
    assert sum(line.etv for line in found.developers) == sum(range(3, 15))


def test_a_dormant_repository_also_shows_months_with_deliveries(busy: tuple[Path, Insert]) -> None:
    root, insert = busy
    for months in (3, 6):
        day(insert, MONDAY - timedelta(days=31 * months), 1.0)
    found = read(root, ["r1"])
    assert found.is_dormant
    assert [line.etv for line in found.months] == [1.0, 1.0]


def test_the_running_week_is_marked_and_comes_last(busy: tuple[Path, Insert]) -> None:
    root, insert = busy
    day(insert, MONDAY, 1.0)
    day(insert, MONDAY + timedelta(weeks=1), 9.0)
    found = read(root, ["r1"])
    assert [(line.etv, line.is_draft) for line in found.weeks] == [(1.0, False), (9.0, True)]
    assert sum(line.etv for line in found.developers) == 1.0


def test_a_repository_that_began_this_week_shows_its_people(busy: tuple[Path, Insert]) -> None:
    root, insert = busy
    day(insert, MONDAY + timedelta(weeks=1), 9.0)
    found = read(root, ["r1"])
    assert [line.name for line in found.developers] == ["Ada"]


def performance(
    insert: Insert, kind: str, entity: str, period: str, start: date, value: float | None
) -> None:
    insert(
        "performance",
        entity_kind=kind,
        entity_id=entity,
        period=period,
        period_start=start,
        performance=value,
    )


def test_performance_of_the_organization_needs_all_repositories(busy: tuple[Path, Insert]) -> None:
    root, insert = busy
    day(insert, MONDAY, 1.0)
    day(insert, MONDAY, 1.0, repository="r2")
    performance(insert, "organization", ORGANIZATION, "week", MONDAY, 61.0)
    performance(insert, "repository", "r1", "week", MONDAY, 42.0)
    assert read(root, ["r1", "r2"]).weeks[-1].performance == 61.0
    assert read(root, ["r1"]).weeks[-1].performance == 42.0


def test_performance_of_people_is_that_of_the_last_complete_month(busy: tuple[Path, Insert]) -> None:
    root, insert = busy
    day(insert, date(2024, 4, 29), 1.0)
    day(insert, date(2024, 4, 29), 2.0, who="d2")
    performance(insert, "developer", "d1", "month", date(2024, 4, 1), 55.0)
    performance(insert, "developer", "d1", "month", date(2024, 3, 1), 11.0)
    performance(insert, "developer", "d2", "month", date(2024, 4, 1), None)
    found = read(root, ["r1"])
    assert [(line.name, line.performance) for line in found.developers] == [("Grace", None), ("Ada", 55.0)]
    assert found.month_of_performance == date(2024, 4, 1)


def test_the_most_valuable_commits_of_the_shown_weeks_come_first(busy: tuple[Path, Insert]) -> None:
    root, insert = busy
    day(insert, MONDAY, 1.0)
    for number, (on, etv, counted) in enumerate(
        [(MONDAY, 2, True), (MONDAY, 5, True), (MONDAY, 9, False), (MONDAY - timedelta(weeks=30), 99, True)]
    ):
        insert(
            "commits_by_time",
            commit_id=f"c{number}",
            commit_sha=f"{number}" * 40,
            repository_id="r1",
            delivered_on=on,
            etv_micro=etv * MICRO,
            is_counted=counted,
            subject="s",
            explanation="e",
        )
    assert [commit.sha[0] for commit in read(root, ["r1"]).commits] == ["1", "0"]


def shown(found: figures.Figures) -> str:
    out = io.StringIO()
    tables.show(Console(file=out, width=140, force_terminal=True, color_system=None), found)
    return out.getvalue()


def test_ai_shares_are_lower_bounds_and_a_dash_without_evidence(busy: tuple[Path, Insert]) -> None:
    root, insert = busy
    day(insert, MONDAY, 4.0, ai=1.0)
    day(insert, MONDAY, 4.0, who="d2")
    lines = shown(read(root, ["r1"])).splitlines()
    assert "≥ 25 %" in next(line for line in lines if line.strip().startswith("Ada"))
    assert "%" not in next(line for line in lines if line.strip().startswith("Grace"))


def test_text_of_a_repository_cannot_control_the_terminal(busy: tuple[Path, Insert]) -> None:
    root, insert = busy
    hostile = "\x1b[2J[bold]x[/nothing]\x07"
    insert("developers", developer_id="d4", name=hostile)
    day(insert, MONDAY, 4.0, who="d4")
    insert(
        "commits_by_time",
        commit_id="c",
        commit_sha="a" * 40,
        repository_id="r1",
        repository_name=hostile,
        developer_name=hostile,
        delivered_on=MONDAY,
        etv_micro=MICRO,
        is_counted=True,
        subject=hostile,
        category="features",
        explanation=hostile,
    )
    text = shown(read(root, ["r1"]))
    assert "\x1b[2J" not in text
    assert "\x07" not in text
    assert text.count("[bold]x[/nothing]") >= 3


def test_an_organization_without_a_build_gives_an_error(tmp_path: Path) -> None:
    with pytest.raises(NothingPublished), snapshot.opened(tmp_path, ORGANIZATION):
        pass


def test_the_report_names_a_history_without_deliveries(published: tuple[Path, Insert]) -> None:
    root, insert = published
    insert("organizations", organization_id=ORGANIZATION, name="Local", time_zone="UTC")
    insert("repositories", repository_id="r1", name="owner/r1")
    assert "Nothing has been delivered yet" in shown(read(root, ["r1"]))


def reason(
    insert: Insert, code: str | None, *, commits: int, lines: int, on: date = MONDAY, repository: str = "r1"
) -> None:
    insert(
        "zero_reason_days",
        delivered_on=on,
        repository_id=repository,
        developer_id="d1",
        zero_reason=code,
        commits=commits,
        lines_added=lines,
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


def test_the_movement_of_a_month_is_described(busy: tuple[Path, Insert]) -> None:
    root, insert = busy
    for repository in ("r1", "r2"):
        day(insert, date(2024, 4, 10), 2.0, repository=repository)
    parts = {"changes": -1.5, "mix": 0.02, "size": 3.0, "rework": -0.5, "value": 0.0}
    insert(
        "movements",
        entity_kind="organization",
        entity_id=ORGANIZATION,
        period="month",
        period_start=date(2024, 4, 1),
        etv_micro=4 * MICRO,
        previous_etv_micro=2_980_000,
        **{f"{name}_micro": int(part * MICRO) for name, part in parts.items()},
    )
    found = read(root, ["r1", "r2"])
    assert found.movement is not None
    assert found.movement.parts == parts
    assert tables.movement_sentence(found.movement) == (
        "2024-04: 4.0 ETV, 3.0 in the month before. Parts of the difference: size of changes +3.0, "
        "number of file changes -1.5, rework -0.5."
    )
    assert read(root, ["r1"]).movement is None


def test_commits_with_half_of_the_variance_are_counted(published: tuple[Path, Insert]) -> None:
    """The squares 100, 81, 64 and twelve 1s add up to 257; the first two are more than half. Drafts do not count."""
    root, insert = published
    for number, hours in enumerate([10, 9, 8, *[1] * 12]):
        insert("uncertain_commits", commit_id=f"c{number}", deviation_micro=hours * MICRO)
    insert("uncertain_commits", commit_id="draft", deviation_micro=50 * MICRO, is_draft=True)
    assert commits_to_confirm(opened(root)) == 2
    assert confirmation_sentence(2).startswith("2 commits cause half")


def test_a_report_without_uncertain_commits_has_nothing_to_confirm(published: tuple[Path, Insert]) -> None:
    assert commits_to_confirm(opened(published[0])) == 0
