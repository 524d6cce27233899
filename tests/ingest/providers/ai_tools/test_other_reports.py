"""Reports beside usage of people: users, lines by commit, and totals of all people."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from ingest.connections.model import Provider
from ingest.providers.anthropic.claude_code import ClaudeCode
from ingest.providers.cursor.tool import Cursor
from ingest.providers.github.copilot import GitHubCopilot
from ingest.providers.windsurf.tool import Windsurf
from tests.ingest.connections import running
from tests.ingest.providers.ai_tools.copilot_server import CopilotServer
from tests.ingest.providers.ai_tools.reports import ClaudeCodeServer, CursorServer, Reports
from tests.ingest.providers.ai_tools.windsurf_server import WindsurfServer

DAY = datetime.now(UTC).date() - timedelta(days=5)


def table_of(
    folder: Path, provider: Provider, server: Reports, table: str, **options: Any
) -> list[dict[str, Any]]:
    """The rows of a table after a run without failures."""
    source = running.source_in(folder, provider)
    connection = running.connection_to(provider, provider.default_address or "", **options)
    report = running.run(source, provider, connection, server)
    assert (report.failures, report.unread) == ({}, {})
    return [*running.rows(source, table).values()]


def test_users_of_claude_tie_ids_to_addresses(tmp_path: Path) -> None:
    server = ClaudeCodeServer(running.TOKEN)
    server.users = [
        {"id": f"user_{n}", "email": f"{n}@example.com", "name": f"Person {n}", "role": "developer", "type": "user",
         "added_at": "2026-03-04T05:06:07Z"}
        for n in range(5)
    ]  # fmt: skip
    server.users.append(
        {"id": "user_x", "email": None, "role": None, "added_at": None, "new_field": {"a": [1]}}
    )
    rows = table_of(tmp_path, ClaudeCode(), server, "accounts")
    assert {(row["actor_id"], row["actor_email"], row["role"]) for row in rows} == {
        *((f"user_{n}", f"{n}@example.com", "developer") for n in range(5)),
        ("user_x", None, None),
    }
    assert {row["added_at"] for row in rows} == {datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC), None}


def commit(number: int, **values: Any) -> dict[str, Any]:
    """A row of Cursor's report of commits."""
    return {
        "commitHash": f"{number:040X}", "userId": "user_A", "userEmail": "ann@example.com", "repoName": "acme/web",
        "branchName": "main", "isPrimaryBranch": True, "totalLinesAdded": 50, "totalLinesDeleted": 7,
        "tabLinesAdded": 4, "tabLinesDeleted": 1, "composerLinesAdded": 20, "composerLinesDeleted": 2,
        "nonAiLinesAdded": 26, "nonAiLinesDeleted": 4, "message": "a secret subject",
        "commitTs": f"{DAY}T10:00:00.000Z", "createdAt": f"{DAY}T11:00:00.000Z",
    } | values  # fmt: skip


def test_commits_of_cursor_have_the_lines_that_it_wrote(tmp_path: Path) -> None:
    server = CursorServer(running.TOKEN)
    server.commits[DAY] = [commit(n) for n in range(4)] + [
        commit(4, repoName=None, branchName=None, isPrimaryBranch=None, message=None),
        commit(
            5, tabLinesAdded=None, composerLinesAdded="12", composerLinesDeleted=None, tabLinesDeleted=None
        ),
        {"commitHash": "ab" * 20, "commitTs": f"{DAY}T23:30:00-02:00", "userEmail": "bob@example.com"},
    ]
    rows = {row["commit_sha"]: row for row in table_of(tmp_path, Cursor(), server, "commits")}
    assert len(rows) == 7
    first, bare = rows[f"{0:040x}"], rows["ab" * 20]
    counts = ("lines_added", "lines_removed", "ai_lines_added", "ai_lines_removed")
    assert [first[name] for name in counts] == [50, 7, 24, 3]
    assert (first["repository_ref"], first["branch"], first["actor_id"]) == ("acme/web", "main", "user_A")
    assert [rows[f"{5:040x}"][name] for name in counts] == [50, 7, 12, None]
    assert [bare[name] for name in counts] == [None] * 4
    assert bare["committed_at"].date() == DAY + timedelta(days=1)


def test_commits_that_cursor_takes_back_are_gone(tmp_path: Path) -> None:
    server = CursorServer(running.TOKEN)
    today = datetime.now(UTC).date()
    server.commits[today] = [commit(n, commitTs=f"{today}T00:00:00Z") for n in range(3)]
    assert len(table_of(tmp_path, Cursor(), server, "commits")) == 3
    server.commits[today].pop()
    assert len(table_of(tmp_path, Cursor(), server, "commits")) == 2


@pytest.mark.parametrize(
    ("total", "wanted"),
    [
        (
            {"day": str(DAY), "total_lines_suggested": 900, "total_lines_accepted": 400, "total_acceptances_count": 70,
             "total_active_users": 9, "total_chat_turns": 33, "breakdown": [{"language": "go", "lines_accepted": 5}]},
            (9, 33, 900, 400, 70),
        ),
        (
            {"day": str(DAY), "total_active_users": 2, "breakdown": [
                {"language": "go", "editor": "vim", "lines_suggested": 8, "lines_accepted": 5, "acceptances_count": 3},
                {"language": "c", "editor": "vim", "lines_suggested": "2", "lines_accepted": None}]},
            (2, None, 10, 5, 3),
        ),
        (
            {"date": str(DAY), "total_active_users": 4, "total_engaged_users": 3,
             "copilot_ide_code_completions": {"editors": [
                 {"name": "vscode", "models": [{"name": "default", "languages": [
                     {"name": "go", "total_code_suggestions": 9, "total_code_acceptances": 4,
                      "total_code_lines_suggested": 20, "total_code_lines_accepted": 11},
                     {"name": "c", "total_code_acceptances": 1, "total_code_lines_suggested": 2}]}]},
                 {"name": "vim", "models": [{"name": "own", "languages": [{"total_code_lines_accepted": 1}]}]}]},
             "copilot_ide_chat": {"editors": [{"models": [{"total_chats": 6}, {"total_chats": 2}]}]},
             "copilot_dotcom_chat": {"models": [{"total_chats": 1}]}},
            (4, 9, 22, 12, 5),
        ),
        ({"date": str(DAY), "total_active_users": 0, "copilot_ide_chat": None}, (0, None, None, None, None)),
    ],
)  # fmt: skip
def test_totals_of_copilot_name_nobody(
    tmp_path: Path, total: dict[str, Any], wanted: tuple[Any, ...]
) -> None:
    server = CopilotServer(running.TOKEN)
    server.totals = [total]
    (row,) = table_of(tmp_path, GitHubCopilot(), server, "usage", organization="acme")
    names = ("active_people", "requests", "lines_suggested", "lines_accepted", "edits_accepted")
    assert tuple(row[name] for name in names) == wanted
    assert (row["used_on"], row["is_total"], row["is_active"], row["actor_login"]) == (DAY, True, False, None)


def test_the_code_of_all_people_has_the_day_that_was_asked_for(tmp_path: Path) -> None:
    server = WindsurfServer(running.TOKEN)
    whole = {
        "percent_code_written": "0.25", "codeium_bytes": "500", "user_bytes": "1500", "total_bytes": "2000",
        "codeium_bytes_by_autocomplete": "400", "codeium_bytes_by_command": "100",
    }  # fmt: skip
    server.code = {
        DAY: [whole],
        DAY - timedelta(days=1): [{"user_bytes": 30, "codeium_bytes": 10, "total_bytes": None}],
        DAY - timedelta(days=2): [{"codeium_bytes_by_autocomplete": "4", "codeium_bytes_by_command": "1"}],
        DAY - timedelta(days=40): [whole | {"ide": "vscode"}, whole | {"ide": "jetbrains"}],
        DAY - timedelta(days=41): [{}],
    }
    rows = table_of(tmp_path, Windsurf(), server, "usage")
    found: dict[date, list[tuple[Any, ...]]] = {}
    for row in rows:
        assert (row["is_total"], row["is_active"], row["actor_email"]) == (True, False, None)
        found.setdefault(row["used_on"], []).append((row["ai_bytes"], row["code_bytes"]))
    assert found == {
        DAY: [(500, 2000)],
        DAY - timedelta(days=1): [(10, 40)],
        DAY - timedelta(days=2): [(5, None)],
        DAY - timedelta(days=40): [(500, 2000)] * 2,
        DAY - timedelta(days=41): [(None, None)],
    }
