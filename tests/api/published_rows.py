"""The facts as the marts of a built warehouse: the service's side of the tests.

Columns and their types come from the contracts. A row names only the columns that depend on the facts; for the values
of all columns on a real history see tests/end_to_end/test_git_to_json.py.
"""

from collections import defaultdict
from collections.abc import Iterable
from datetime import date, timedelta
from itertools import combinations
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from tests import published_tables
from tests.api import (
    ai_usage_facts,
    check_facts,
    published_figures,
    published_plans,
    pull_request_facts,
    summary_texts,
)
from tests.api.published_facts import (
    AS_OF,
    CATEGORIES,
    ORGANIZATION,
    TODAY,
    UNIT,
    VERSION,
    Change,
    Commit,
    Facts,
    found,
)

JUDGED = ("features", "maintenance", "fixes")
# Values of columns that the facts say nothing about, by type; null for other types.
EMPTY = {"boolean": False, "bigint": 0, "integer": 0}
NO_PULL_REQUEST = {"pull_request_id": None, "pull_request_number": None}


def write(facts: Facts, path: Path, *, version: str = VERSION, organization: str = ORGANIZATION) -> Path:
    """The facts as a built warehouse."""
    pulled = pull_request_facts.commit_columns(facts)
    spent = ai_usage_facts.linked_by_commit(facts)
    rows: dict[str, Iterable[dict[str, Any]]] = {
        "organizations": [_organization(facts, organization)],
        "repositories": [_repository(facts, key) for key in facts.repositories],
        "developers": [_developer(facts, key) for key in facts.developers],
        "developer_identities": [{"own_developer_id": key, "developer_id": key} for key in facts.developers],
        "merge_suggestions": _suggestions(facts),
        "teams": _teams(facts),
        "team_members": [
            {"developer_id": developer, "team_id": team, "start_on": start, "end_on": end}
            for developer, team, start, end in facts.stretches
        ],
        "commits": [
            _commit(facts, commit)
            | pulled.get(commit.id, NO_PULL_REQUEST)
            | ai_usage_facts.cost_columns(spent, [commit.id])
            for commit in facts.commits
        ],
        "commit_files": [_file(commit, change) for commit in facts.commits for change in commit.changes],
        "line_kinds": [
            {"kind": kind, "class": name, "original_class": name, "tokens": 4, "rank": 1}
            for kind, name in ((1, "novel"), (3, "comment"))
        ],
        "commit_credits": _credits(facts),
        "commit_ai_evidence": _ai_evidence(facts),
        "commit_origins": _origins(facts),
        "import_bursts": _bursts(facts),
        **published_figures.rows(facts, organization),
        **pull_request_facts.rows(facts),
        **check_facts.rows(facts),
        **ai_usage_facts.rows(facts),
        "uncertain_commits": _uncertain_commits(facts),
        **published_plans.rows(facts),
        "summary_facts": summary_texts.draft_rows(facts),
    }
    path.unlink(missing_ok=True)
    with duckdb.connect(str(path), config={"threads": 1}) as connection:
        connection.execute("set TimeZone = 'UTC'")
        connection.begin()
        for name, given in rows.items():
            insert(connection, f"api_v1__{name}", list(given), {"calculation_version": version})
        # Of other marts the facts say nothing.
        for model in published_tables.compiled():
            if not model.is_published and model.name.removeprefix("api_v1__") not in rows:
                insert(connection, model.name, [], {})
        connection.commit()
    return path


def insert(
    connection: duckdb.DuckDBPyConnection, mart: str, rows: list[dict[str, Any]], everywhere: dict[str, Any]
) -> None:
    """Create a mart with these rows. A column that a row omits has its value of `everywhere`, else its empty value.

    The values of `everywhere` are for the marts that have such a column.
    """
    types = published_tables.contract(mart)
    connection.execute(f"create table {mart} ({', '.join(f'{name} {kind}' for name, kind in types.items())})")
    if not rows:
        return
    empty = {name: EMPTY.get(kind) for name, kind in types.items()}
    omitted = empty | {name: value for name, value in everywhere.items() if name in types}
    for row in rows:
        assert row.keys() <= types.keys(), (mart, row.keys() - types.keys())
    connection.register("given", pa.Table.from_pylist([omitted | row for row in rows]))
    casts = ", ".join(f"cast({name} as {kind})" for name, kind in types.items())
    connection.execute(f"insert into {mart} select {casts} from given")
    connection.unregister("given")


def _organization(facts: Facts, organization: str) -> dict[str, Any]:
    days = [change.day for change in facts.changes]
    return {
        "organization_id": organization, "name": "Acme", "slug": "acme", "time_zone": "UTC",
        "work_category_grouping": "five", "as_of": AS_OF,
        "first_delivered_on": min(days), "last_delivered_on": max(days),
        "last_complete_week_start": date(2026, 11, 9), "last_complete_month_start": date(2026, 10, 1),
        "local_date": TODAY, "renews_on": date(2026, 11, 1),
    }  # fmt: skip


def _seen(commits: Iterable[Commit]) -> dict[str, Any]:
    chosen = list(commits)
    delivered = [commit.delivered_at for commit in chosen if commit.delivered_at is not None]
    return {
        "commit_count": len(chosen),
        "delivered_commit_count": len(delivered),
        "first_delivered_at": min(delivered, default=None),
        "last_delivered_at": max(delivered, default=None),
    }


def _repository(facts: Facts, key: str) -> dict[str, Any]:
    commits = [commit for commit in facts.commits if commit.repository == key]
    name = facts.repositories[key]
    return {
        "repository_id": key, "name": name, "origin": f"https://git.example/{name}", "default_branch": "main",
        "commit_page": f"https://git.example/{name}/commit/",
        "head_sha": "f" * 40, "is_sandbox": key == facts.sandbox,

        "developer_count": len({commit.developer for commit in commits}), "tags": [name],
        "misdated_deliveries": sum(commit.is_misdated for commit in commits),
    } | _seen(commits)  # fmt: skip


def _developer(facts: Facts, key: str) -> dict[str, Any]:
    commits = [commit for commit in facts.commits if commit.developer == key]
    name = facts.developers[key]
    home = {"name": name, "email": facts.private_email(key), "reason": "SAME_FULL_NAME", "commits": 0}
    work = {"name": name, "email": facts.email(key), "reason": "FIRST_USED", "commits": len(commits)}
    own = [work, home] if key == facts.shown_twice else [work]
    team = next((team for team, (_, _, people) in facts.teams.items() if key in people), None)
    return {
        "developer_id": key, "name": name, "primary_email": work["email"], "is_bot": key == facts.bot,
        "bot_reason": "name" if key == facts.bot else None,
                "team_id": team, "team": facts.teams[team][0] if team else None,
        "addresses": [one | {"address_id": found("address", str(one["email"]))} for one in own],
        "known_ids": [key, facts.merged[1]] if key == facts.merged[0] else [key],
        "merge_suggestions": [
            {"developer_id": one, "reason": "SAME_LOCAL_PART:someone"}
            for one in sorted(facts.developers)
            if facts.bot not in (one, key) and one != key
        ],
    } | _seen(commits)  # fmt: skip


def _suggestions(facts: Facts) -> Iterable[dict[str, Any]]:
    """A suggestion for every pair of people, without the bot."""
    people = sorted(key for key in facts.developers if key != facts.bot)
    for one, other in combinations(people, 2):
        shown = {
            f"{side}_{what}": value
            for side, key in (("developer", one), ("other", other))
            for what, value in (
                ("id", key), ("name", facts.developers[key]), ("email", facts.email(key)),
            )
        }  # fmt: skip
        yield shown | {
            "suggestion_id": found("suggestion", f"{one} {other}"), "reasons": ["SAME_LOCAL_PART:someone"],
        }  # fmt: skip


def _commit(facts: Facts, commit: Commit) -> dict[str, Any]:
    changes = commit.changes
    counted = bool(changes) and commit.developer != facts.bot and commit.repository != facts.sandbox
    reason = None
    if not counted:
        reason = (
            "NOT_DELIVERED" if commit.delivered_at is None
            else "NO_COUNTED_LINES" if not changes
            else "BOT" if commit.developer == facts.bot else "EXCLUDED"
        )  # fmt: skip
    name = facts.developers[commit.developer]
    return {
        "commit_id": commit.id, "commit_sha": commit.sha, "repository_id": commit.repository,
        "repository_name": facts.repositories[commit.repository], "developer_id": commit.developer,
        "developer_name": name, "team_id": facts.team_of_commit(commit),
        "author_name": name, "author_email": f"{name.lower()}@acme.example",
        "subject": commit.subject, "delivery_sha": commit.sha if commit.delivered_at else None,
        "zero_reason": reason,
        "import_burst_id": facts.burst_of(commit),
        "category": commit.category, "category_label": commit.category,
        "category_method": "path" if changes else None, "explanation": "Mostly new lines in src/",
        "is_bot": commit.developer == facts.bot,
        "is_counted": counted, "is_ai_assisted": commit.ai,
        "authored_at": commit.authored_at, "committed_at": commit.committed_at, "delivered_at": commit.delivered_at,
        "delivered_on": commit.delivered_at.date() if commit.delivered_at else None,
        "category_confidence": 0.9 if changes else None, "points_micro": sum(c.points for c in changes),
        "effort_micro": sum(c.effort for c in changes), "etv_micro": commit.etv,
        **{f"{name}_etv_micro": sum(c.etv for c in changes if c.category == name) for name in CATEGORIES},
        "files_changed": len(changes), "lines_added": sum(c.novel + c.comments for c in changes),
        "parent_shas": ["0" * 40], "ai_tools": ["claude_code"] if commit.ai else None,
    } | published_plans.alignment(commit)  # fmt: skip


def _bursts(facts: Facts) -> Iterable[dict[str, Any]]:
    """One burst per developer. The first one still waits for evidence."""
    commits: dict[str, list[Commit]] = defaultdict(list)
    for commit in sorted(facts.commits, key=lambda one: (one.authored_at, one.sha)):
        if burst := facts.burst_of(commit):
            commits[burst].append(commit)
    for number, (burst, own) in enumerate(commits.items()):
        first = own[0]
        yield {
            "burst_id": burst, "rule": "FORTNIGHT", "status": "IMPORT" if number else "WAITING_FOR_EVIDENCE",
            "developer_id": first.developer, "developer_name": facts.developers[first.developer],
            "repository_ids": sorted({commit.repository for commit in own}),
            "first_commit_id": first.id, "first_commit_sha": first.sha, "first_subject": first.subject,
            "started_at": first.authored_at, "ended_at": own[-1].authored_at,
            "evidence_until": None if number else own[-1].authored_at + timedelta(days=14),
            "commit_count": len(own), "file_count": 300, "novel_lines": 25_000,
            "arrived_lines": 24_000, "reworked_share_micro": 10_000 * number, "worked_share_micro": 50_000,
        }  # fmt: skip


def _file(commit: Commit, change: Change) -> dict[str, Any]:
    return {
        "commit_id": commit.id, "repository_id": commit.repository, "delivery_sha": commit.sha, "path": change.path,
        "status": "M", "language": "Python", "role": "source",
        "category": change.category, "category_method": "path", "category_evidence": "src/",
        "category_confidence": 0.9, "line_points_micro": change.line_points,
        "role_factor_micro": change.role_factor,
        "points_micro": change.points, "effort_micro": change.effort, "multiplier_micro": change.multiplier,
        "etv_micro": change.etv,
        "inline_tests_points_micro": 0, "inline_tests_effort_micro": 0, "inline_tests_etv_micro": 0,
        "line_classes": [
            {"kind": 1, "lines": change.novel, "weight_micro": 2 * UNIT, "points_micro": change.novel * 2 * UNIT},
            {"kind": 3, "lines": change.comments, "weight_micro": 50_000, "points_micro": change.comments * 50_000},
        ],
    }  # fmt: skip


def _credits(facts: Facts) -> Iterable[dict[str, Any]]:
    for commit in (one for one in facts.commits if one.changes):
        yield {
            "commit_id": commit.id, "developer_id": commit.developer, "team_id": facts.team_of_commit(commit),
            "role": "author", "share_micro": UNIT,
            "etv_micro": commit.etv, "effort_micro": sum(change.effort for change in commit.changes),
        }  # fmt: skip
        if commit.named is not None:
            team = facts.team_on(commit.named, commit.authored_at.date())
            yield {"commit_id": commit.id, "developer_id": commit.named, "team_id": team, "role": "co_author"}


def _ai_evidence(facts: Facts) -> Iterable[dict[str, Any]]:
    for commit in (one for one in facts.commits if one.ai):
        yield {
            "commit_id": commit.id, "tool": "claude_code", "role": "authored", "signal": "trailer",
            "matched_text": "Co-authored-by: noreply@anthropic.com", "confidence": 0.99,
        }  # fmt: skip


def _origins(facts: Facts) -> Iterable[dict[str, Any]]:
    """The first two commits as likely origins of every fix."""
    for commit in (one for one in facts.commits if one.category == "fixes"):
        for origin, likelihood in zip(facts.commits, (350_000, 460_000), strict=False):
            yield {
                "commit_id": commit.id, "origin_commit_id": origin.id, "origin_sha": origin.sha,
                "basis": "REMOVED_LINES", "likelihood_micro": likelihood, "age_days": 30,
            }  # fmt: skip


def _teams(facts: Facts) -> Iterable[dict[str, Any]]:
    for key, (name, parent, own) in facts.teams.items():
        yield {
            "team_id": key, "name": name, "parent_id": parent, "depth": 0 if parent is None else 1,
            "sub_team_count": sum(above == key for _, above, _ in facts.teams.values()),
            "developer_count": len(facts.people_of(key)), "own_developer_count": len(own),
        }  # fmt: skip


def _uncertain_commits(facts: Facts) -> Iterable[dict[str, Any]]:
    """Every commit with changes of source has an uncertain category. Only features are capitalized."""
    for commit in facts.commits:
        row = _commit(facts, commit)
        judged = [change for change in commit.changes if change.category in JUDGED]
        if not row["is_counted"] or not judged:
            continue
        names = (
            "commit_id", "commit_sha", "subject", "repository_id", "repository_name", "developer_id", "developer_name",
            "team_id", "effort_micro",
        )  # fmt: skip
        stake = sum(change.effort for change in judged)
        month = judged[0].day.replace(day=1)
        yield {name: row[name] for name in names} | {
            "month": month, "is_draft": month == TODAY.replace(day=1), "category": judged[0].category,
            "evidence": "subject:add", "features_probability": 0.5, "maintenance_probability": 0.3,
            "fixes_probability": 0.2, "features_capitalizable_micro": stake,
            "deviation_micro": stake // 2,
            "capitalizable_effort_micro": stake if judged[0].category == "features" else 0,
        }  # fmt: skip
