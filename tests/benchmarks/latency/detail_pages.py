"""Addresses of pages about one thing of a published build, by the kind of the page.

Add: pages with a name of a thing in their address. Keep out: pages of the navigation (bench_pages.py).
"""

from pathlib import Path

import duckdb

BUSIEST, OTHERS = 50, 450
"""Things of a kind whose pages are opened: those with most commits, and any."""
FILES = 500
"""Files of a large commit, whose page has the first hundred."""
LISTS = {
    "repository": ("repositories/", "select repository_id as id, commit_count as size from repositories"),
    "managed repository": ("manage/", "select repository_id as id, commit_count as size from repositories"),
    "team": ("teams/", "select team_id as id, -depth as size from teams"),
    "developer": ("developers/", "select developer_id as id, commit_count as size from developers"),
    "commit": ("commits/", "select commit_id as id, files_changed as size from commits_by_time"),
    "pull request": ("pullRequests/", "select pull_request_id as id, etv_micro as size from pull_requests"),
    "objective": ("objectives/", "select objective_id as id, commits as size from objectives"),
}
"""Each with the path before an id, and the things with their size."""
DRAFTS = ("draft-week", "draft-month", "draft-quarter")


def detail_pages(file: Path) -> dict[str, list[str]]:
    """The addresses below an organization; each kind has some."""
    with duckdb.connect(str(file), read_only=True) as build:

        def ids(query: str, limit: str) -> list[str]:
            return [str(row[0]) for row in build.execute(f"select id from ({query}) {limit}").fetchall()]

        found = {
            kind: [
                f"{path}{one}"
                for one in ids(query, f"order by size desc, id limit {BUSIEST}")
                + ids(query, f"order by hash(id) limit {OTHERS}")
            ]
            for kind, (path, query) in LISTS.items()
        }
        large = f"select commit_id as id from commit_files group by commit_id having count(*) >= {FILES}"
        found["large commit"] = [f"commits/{one}?files=all" for one in ids(large, f"limit {OTHERS}")]
        found["report"] = [f"reports/{draft}" for draft in DRAFTS]
        told = "select scope_id as id from summary_facts where scope_kind = 'TEAM' and period = 'quarter' and is_draft"
        led = ids(told, f"group by id order by hash(id) limit {OTHERS}")
        found["report"] += [f"reports/{DRAFTS[-1]}?team={team}" for team in led]
    return found
