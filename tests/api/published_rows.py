"""The facts as the published relations of a built warehouse: the service's side of the tests."""

import csv
from collections import defaultdict
from collections.abc import Iterable
from datetime import date, timedelta
from itertools import combinations
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from ingest.settings import CHECKOUT
from tests import published_tables
from tests.api.published_facts import (
    AS_OF,
    CATEGORIES,
    ORGANIZATION,
    REFERENCE_PER_WEEK,
    REFERENCE_WEEKS,
    TODAY,
    UNIT,
    VERSION,
    Change,
    Commit,
    Facts,
    found,
    performance_of,
    weekly_etv,
)

JUDGED = ("features", "maintenance", "fixes")


def write(facts: Facts, path: Path, *, version: str = VERSION, organization: str = ORGANIZATION) -> Path:
    """The facts as a built warehouse."""
    rows = {
        "organizations": [_organization(facts, version, organization)],
        "repositories": [_repository(facts, key, version) for key in facts.repositories],
        "developers": [_developer(facts, key, version) for key in facts.developers],
        "merge_suggestions": list(_suggestions(facts, version)),
        "commits": [_commit(facts, commit, version) for commit in facts.commits],
        "commit_files": [
            _file(commit, change, version) for commit in facts.commits for change in commit.changes
        ],
        "line_kinds": [
            {
                "kind": kind,
                "class": name,
                "original_class": name,
                "tokens": 4,
                "rank": 1,
                "note": None,
                "calculation_version": version,
            }
            for kind, name in ((1, "novel"), (3, "comment"))
        ],
        "commit_credits": [
            credit for commit in facts.commits if commit.changes for credit in _credits(facts, commit)
        ],
        "commit_ai_evidence": [
            {
                "commit_id": commit.id,
                "tool": "claude_code",
                "role": "authored",
                "signal": "trailer",
                "matched_text": "Co-authored-by: noreply@anthropic.com",
                "confidence": 0.99,
            }
            for commit in facts.commits
            if commit.ai
        ],
        "commit_origins": [
            {
                "commit_id": commit.id,
                "origin_commit_id": origin.id,
                "origin_sha": origin.sha,
                "basis": "REMOVED_LINES",
                "likelihood_micro": likelihood,
                "age_days": 30,
            }
            for commit in facts.commits
            if commit.category == "fixes"
            for origin, likelihood in zip(facts.commits, (350_000, 460_000), strict=False)
        ],
        "import_bursts": list(_bursts(facts, version)),
        "daily": list(_daily(facts)),
        "teams": [
            {
                "team_id": key,
                "name": name,
                "parent_id": parent,
                "depth": 0 if parent is None else 1,
                "sub_team_count": sum(above == key for _, above, _ in facts.teams.values()),
                "developer_count": len(facts.people_of(key)),
                "own_developer_count": len(own),
                "calculation_version": version,
            }
            for key, (name, parent, own) in facts.teams.items()
        ],
        "team_daily": [
            row | {"team_id": key} for row in _daily(facts) for key in facts.and_above(row["team_id"])
        ],
        "team_members": [
            {"developer_id": developer, "team_id": team, "start_on": start, "end_on": end}
            | {"calculation_version": version}
            for developer, team, start, end in facts.stretches
        ],
        "developer_identities": [
            {"own_developer_id": key, "developer_id": key, "calculation_version": version}
            for key in facts.developers
        ],
        "performance": list(_performance(facts, version, organization)),
        "movements": list(_movements(facts, version, organization)),
        "capex": list(_capex(facts, version, organization)),
        "billable_developers": list(_billable(facts)),
        "capex_evidence": list(_capex_evidence(facts)),
        "zero_reasons": list(zero_reasons(version)),
        "zero_reason_days": list(_zero_reason_days(facts)),
        "zero_reason_commits": list(_zero_reason_commits(facts)),
        "uncertain_commits": list(_uncertain_commits(facts, version)),
    }
    path.unlink(missing_ok=True)
    with duckdb.connect(str(path)) as connection:
        connection.execute("set TimeZone = 'UTC'")
        for name, given in rows.items():
            insert(connection, f"api_v1__{name}", given)
    return path


def insert(connection: duckdb.DuckDBPyConnection, mart: str, rows: list[dict[str, Any]]) -> None:
    """Create a mart with these rows; each must name exactly the columns of the contract."""
    types = published_tables.contract(mart)
    connection.execute(f"create table {mart} ({', '.join(f'{name} {kind}' for name, kind in types.items())})")
    for row in rows:
        assert row.keys() == types.keys(), (mart, row.keys() ^ types.keys())
    if rows:
        table = pa.Table.from_pylist(rows)
        connection.register("given", table)
        casts = ", ".join(f"cast({name} as {kind})" for name, kind in types.items())
        connection.execute(f"insert into {mart} select {casts} from given")
        connection.unregister("given")


def _organization(facts: Facts, version: str, organization: str) -> dict[str, Any]:
    days = [change.day for change in facts.changes]
    return {
        "organization_id": organization, "name": "Acme", "slug": "acme", "time_zone": "UTC",
        "work_category_grouping": "five", "calculation_version": version, "as_of": AS_OF,
        "first_delivered_on": min(days), "last_delivered_on": max(days),
        "last_complete_week_start": date(2026, 11, 9), "last_complete_month_start": date(2026, 10, 1),
        "waiting_commits": 0, "local_date": TODAY, "renews_on": date(2026, 11, 1),
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


def _repository(facts: Facts, key: str, version: str) -> dict[str, Any]:
    commits = [commit for commit in facts.commits if commit.repository == key]
    name = facts.repositories[key]
    return {
        "repository_id": key, "name": name, "origin": f"https://git.example/{name}", "default_branch": "main",
        "head_sha": "f" * 40, "calculation_version": version, "is_sandbox": key == facts.sandbox,
        "is_excluded": False, "is_disabled": False, "is_shallow": False, "is_partial": False,
        "developer_count": len({commit.developer for commit in commits}), "skipped_objects": 0, "tags": [name],
    } | _seen(commits)  # fmt: skip


def _developer(facts: Facts, key: str, version: str) -> dict[str, Any]:
    commits = [commit for commit in facts.commits if commit.developer == key]
    name = facts.developers[key]
    home = {"name": name, "email": facts.private_email(key), "reason": "SAME_FULL_NAME", "commits": 0}
    work = {"name": name, "email": facts.email(key), "reason": "FIRST_USED", "commits": len(commits)}
    own = [work, home] if key == facts.shown_twice else [work]
    team = next((team for team, (_, _, people) in facts.teams.items() if key in people), None)
    return {
        "developer_id": key, "name": name, "primary_email": work["email"], "is_bot": key == facts.bot,
        "bot_reason": "name" if key == facts.bot else None, "calculation_version": version,
        "kind": None, "role": None, "seniority": None, "avatar_url": None, "joined_on": None,
        "probation_ends_on": None, "left_on": None, "team_id": team, "team": facts.teams[team][0] if team else None,
        "addresses": [one | {"address_id": found("address", str(one["email"]))} for one in own],
        "known_ids": [key, facts.merged[1]] if key == facts.merged[0] else [key],
        "merge_suggestions": [
            {"developer_id": one, "reason": "SAME_LOCAL_PART:someone"}
            for one in sorted(facts.developers)
            if facts.bot not in (one, key) and one != key
        ],
    } | _seen(commits)  # fmt: skip


def _suggestions(facts: Facts, version: str) -> Iterable[dict[str, Any]]:
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
            "calculation_version": version,
        }  # fmt: skip


def _commit(facts: Facts, commit: Commit, version: str) -> dict[str, Any]:
    changes = commit.changes
    counted = bool(changes) and commit.developer != facts.bot and commit.repository != facts.sandbox
    reason = None
    if not counted:
        reason = (
            "NOT_DELIVERED" if commit.delivered_at is None
            else "NO_COUNTED_LINES" if not changes
            else "BOT" if commit.developer == facts.bot else "SANDBOX"
        )  # fmt: skip
    name = facts.developers[commit.developer]
    return {
        "commit_id": commit.id, "commit_sha": commit.sha, "repository_id": commit.repository,
        "repository_name": facts.repositories[commit.repository], "developer_id": commit.developer,
        "developer_name": name, "team_id": facts.team_of_commit(commit),
        "author_name": name, "author_email": f"{name.lower()}@acme.example",
        "subject": commit.subject, "delivery_sha": commit.sha if commit.delivered_at else None,
        "zero_reason": reason, "exclusion_reason": None, "exclusion_note": None,
        "import_burst_id": facts.burst_of(commit),
        "duplicate_of_sha": None, "category": commit.category,
        "category_method": "path" if changes else None, "explanation": "Mostly new lines in src/",
        "calculation_version": version, "is_bot": commit.developer == facts.bot, "is_merge": False,
        "is_counted": counted, "is_ai_assisted": commit.ai, "is_credit_estimated": False, "is_provisional": False,
        "authored_at": commit.authored_at, "committed_at": commit.authored_at, "delivered_at": commit.delivered_at,
        "provisional_until": None, "delivered_on": commit.delivered_at.date() if commit.delivered_at else None,
        "category_confidence": 0.9 if changes else None, "points_micro": sum(c.points for c in changes),
        "effort_micro": sum(c.effort for c in changes), "etv_micro": commit.etv,
        **{f"{name}_etv_micro": sum(c.etv for c in changes if c.category == name) for name in CATEGORIES},
        "files_changed": len(changes), "lines_added": sum(c.novel + c.comments for c in changes),
        "lines_deleted": 0, "parent_shas": ["0" * 40], "ai_tools": ["claude_code"] if commit.ai else None,
    }  # fmt: skip


def _bursts(facts: Facts, version: str) -> Iterable[dict[str, Any]]:
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
            "commit_count": len(own), "counted_commit_count": 0, "file_count": 300, "novel_lines": 25_000,
            "arrived_lines": 24_000, "reworked_share_micro": 10_000 * number, "worked_share_micro": 50_000,
            "calculation_version": version,
        }  # fmt: skip


def _file(commit: Commit, change: Change, version: str) -> dict[str, Any]:
    return {
        "commit_id": commit.id, "repository_id": commit.repository, "delivery_sha": commit.sha, "path": change.path,
        "previous_path": None, "status": "M", "language": "Python", "role": "source", "zero_reason": None,
        "category": change.category, "category_method": "path", "category_evidence": "src/", "copied_from": None,
        "calculation_version": version, "category_confidence": 0.9, "line_points_micro": change.line_points,
        "file_bonus_micro": 0, "removed_points_micro": 0, "role_factor_micro": change.role_factor,
        "points_micro": change.points, "effort_micro": change.effort, "multiplier_micro": change.multiplier,
        "etv_micro": change.etv,
        "line_classes": [
            {"kind": 1, "lines": change.novel, "weight_micro": 2 * UNIT, "points_micro": change.novel * 2 * UNIT},
            {"kind": 3, "lines": change.comments, "weight_micro": 50_000, "points_micro": change.comments * 50_000},
        ],
    }  # fmt: skip


def _credits(facts: Facts, commit: Commit) -> Iterable[dict[str, Any]]:
    yield {
        "commit_id": commit.id, "developer_id": commit.developer, "team_id": facts.team_of_commit(commit),
        "role": "author", "share_micro": UNIT,
        "etv_micro": commit.etv, "effort_micro": sum(change.effort for change in commit.changes),
    }  # fmt: skip
    if commit.named is not None:
        yield {
            "commit_id": commit.id, "developer_id": commit.named,
            "team_id": facts.team_on(commit.named, commit.authored_at.date()),
            "role": "co_author", "share_micro": 0, "etv_micro": 0, "effort_micro": 0,
        }  # fmt: skip


def zero_reasons(version: str) -> Iterable[dict[str, Any]]:
    """The reasons of the seed."""
    with (CHECKOUT / "dbt_project" / "seeds" / "zero_reason_texts.csv").open(newline="") as lines:
        for row in csv.DictReader(lines):
            yield {name: row[name] for name in ("zero_reason", "level", "title", "description")} | {
                "position": int(row["position"]),
                "warning_share_micro": 100_000 if row["warns"] == "true" else None,
                "calculation_version": version,
            }


def _zero_reason_days(facts: Facts) -> Iterable[dict[str, Any]]:
    sums: dict[tuple[Any, ...], list[int]] = defaultdict(lambda: [0, 0, 0])
    for commit in facts.commits:
        for reason, *amounts in facts.parts(commit):
            assert commit.delivered_at is not None
            key = (
                commit.delivered_at.date(), commit.repository, facts.team_of_commit(commit), commit.developer,
                commit.developer == facts.bot, commit.repository == facts.sandbox, reason,
            )  # fmt: skip
            sums[key] = [one + more for one, more in zip(sums[key], amounts, strict=True)]
    names = (
        "delivered_on", "repository_id", "team_id", "developer_id", "is_bot", "is_sandbox", "zero_reason",
        "commits", "files", "lines_added",
    )  # fmt: skip
    for key, amounts in sums.items():
        yield dict(zip(names, (*key, *amounts), strict=True))


def _zero_reason_commits(facts: Facts) -> Iterable[dict[str, Any]]:
    """All commits with lines. One repository has URLs of its commits."""
    for commit in facts.commits:
        found: dict[str, tuple[int, int]] = {}
        for reason, _, files, lines in facts.parts(commit):
            if reason is not None and lines:
                before = found.get(reason, (0, 0))
                found[reason] = (before[0] + files, before[1] + lines)
        name = facts.repositories[commit.repository]
        is_hosted = commit.repository == next(iter(facts.repositories))
        for reason, (files, lines) in found.items():
            assert commit.delivered_at is not None
            yield {
                "commit_id": commit.id, "commit_sha": commit.sha, "zero_reason": reason,
                "repository_id": commit.repository, "repository_name": name,
                "team_id": facts.team_of_commit(commit), "developer_id": commit.developer,
                "is_sandbox": commit.repository == facts.sandbox, "delivered_on": commit.delivered_at.date(),
                "author_name": facts.developers[commit.developer], "subject": commit.subject, "files": files,
                "lines_added": lines,
                "commit_url": f"https://git.example/{name}/commit/{commit.sha}" if is_hosted else None,
            }  # fmt: skip


def _daily(facts: Facts) -> Iterable[dict[str, Any]]:
    rows: dict[tuple[Any, ...], dict[str, Any]] = {}
    for commit in facts.commits:
        for change in commit.changes:
            team = facts.team_of_commit(commit)
            key = (change.day, change.repository, change.developer, team, change.category)
            row = rows.setdefault(
                key,
                {
                    "delivered_on": change.day, "repository_id": change.repository, "developer_id": change.developer,
                    "team_id": team, "category": change.category, "is_bot": change.is_bot,
                    "is_sandbox": change.is_sandbox,
                    "etv_micro": 0, "effort_micro": 0, "points_micro": 0, "taken_back_points_micro": 0,
                    "ai_etv_micro": 0, "commits": 0, "ai_commits": 0, "files": 0, "lines_added": 0, "lines_deleted": 0,
                },
            )  # fmt: skip
            row["etv_micro"] += change.etv
            row["effort_micro"] += change.effort
            row["points_micro"] += change.points
            row["ai_etv_micro"] += change.etv if change.ai else 0
            row["files"] += 1
            row["lines_added"] += change.novel + change.comments
        if commit.changes:
            team = facts.team_of_commit(commit)
            row = rows[commit.changes[0].day, commit.repository, commit.developer, team, commit.category]
            row["commits"] += 1
            row["ai_commits"] += commit.ai
    return rows.values()


def _performance(facts: Facts, version: str, organization: str) -> Iterable[dict[str, Any]]:
    entities = [("organization", organization, None)]
    entities += [("repository", key, key) for key in facts.repositories]
    entities += [("developer", key, key) for key in facts.developers]
    entities += [("team", key, key) for key in facts.teams]
    for kind, entity, key in entities:
        weeks = weekly_etv(facts, kind, key)
        months: dict[date, list[int]] = defaultdict(list)
        for monday, etv in weeks.items():
            months[monday.replace(day=1)].append(etv)
            yield _performance_row(
                kind, entity, "week", monday, monday + timedelta(days=6), etv, 1.0, version
            )
        for first, values in months.items():
            last = (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)
            yield _performance_row(
                kind, entity, "month", first, last, sum(values), float(len(values)), version
            )


def _performance_row(
    kind: str, entity: str, period: str, start: date, end: date, etv: int, weeks: float, version: str
) -> dict[str, Any]:
    return {
        "entity_kind": kind, "entity_id": entity, "period": period, "calculation_version": version,
        "period_start": start, "period_end": end, "is_draft": end >= TODAY, "etv_micro": etv,
        "reference_etv_per_week_micro": REFERENCE_PER_WEEK, "developer_weeks": weeks,
        "reference_developer_weeks": REFERENCE_WEEKS, "performance": performance_of(etv, weeks),
    }  # fmt: skip


def _movements(facts: Facts, version: str, organization: str) -> Iterable[dict[str, Any]]:
    """Movements between months. Half of each comes from changes, a quarter from their size, the rest from the mix."""
    rows = [row for row in _performance(facts, version, organization) if row["period"] == "month"]
    etv = {(row["entity_id"], row["period_start"]): row["etv_micro"] for row in rows}
    for row in rows:
        before = etv.get((row["entity_id"], (row["period_start"] - timedelta(days=1)).replace(day=1)), 0)
        moved = row["etv_micro"] - before
        names = ("entity_kind", "entity_id", "period", "period_start", "period_end", "is_draft", "etv_micro")
        yield {name: row[name] for name in names} | {
            "previous_etv_micro": before, "changes_micro": moved // 2, "size_micro": moved // 4,
            "mix_micro": moved - moved // 2 - moved // 4, "rework_micro": 0, "value_micro": 0,
            "calculation_version": version,
        }  # fmt: skip


def _billable(facts: Facts) -> Iterable[dict[str, Any]]:
    first, renewal = date(2026, 11, 1) - timedelta(days=90), date(2026, 11, 1)
    last = {
        change.developer: change.day
        for change in sorted(facts.changes, key=lambda change: change.day)
        if first <= change.day < renewal and not change.is_bot and not change.is_sandbox
    }
    for developer, day in last.items():
        name = facts.developers[developer]
        yield {
            "developer_id": developer, "name": name, "primary_email": f"{name.lower()}@acme.example",
            "renews_on": renewal, "last_delivered_on": day,
        }  # fmt: skip


def _capex_evidence(facts: Facts) -> Iterable[dict[str, Any]]:
    cells: dict[tuple[date, str, str, str, str], list[Change]] = defaultdict(list)
    main = {commit.id: commit.category or "" for commit in facts.commits}
    for change in facts.changes:
        if not change.is_bot and not change.is_sandbox:
            month = change.day.replace(day=1)
            kinds = change.category, main[change.commit]
            cells[month, change.developer, change.repository, *kinds].append(change)
    for (month, developer, repository, category, commit_category), changes in cells.items():
        yield {
            "month": month, "developer_id": developer, "repository_id": repository, "category": category,
            "commit_category": commit_category, "policy_version": "default",
            "is_capitalizable": category == "features", "effort_micro": sum(c.effort for c in changes),
            "etv_micro": sum(c.etv for c in changes), "commits": len({c.commit for c in changes}),
        }  # fmt: skip


def _uncertain_commits(facts: Facts, version: str) -> Iterable[dict[str, Any]]:
    """Every commit with changes of source has an uncertain category. Only features are capitalized."""
    for commit in facts.commits:
        row = _commit(facts, commit, version)
        judged = [change for change in commit.changes if change.category in JUDGED]
        if not row["is_counted"] or not judged:
            continue
        names = (
            "commit_id", "commit_sha", "subject", "repository_id", "repository_name", "developer_id", "developer_name",
            "team_id", "effort_micro", "calculation_version",
        )  # fmt: skip
        stake = sum(change.effort for change in judged)
        month = judged[0].day.replace(day=1)
        yield {name: row[name] for name in names} | {
            "month": month, "is_draft": month == TODAY.replace(day=1), "category": judged[0].category,
            "evidence": "subject:add", "features_probability": 0.5, "maintenance_probability": 0.3,
            "fixes_probability": 0.2, "features_capitalizable_micro": stake, "maintenance_capitalizable_micro": 0,
            "fixes_capitalizable_micro": 0, "deviation_micro": stake // 2,
            "capitalizable_effort_micro": stake if judged[0].category == "features" else 0,
        }  # fmt: skip


def _capex(facts: Facts, version: str, organization: str) -> Iterable[dict[str, Any]]:
    rows: dict[tuple[date, str], list[Change]] = defaultdict(list)
    for change in facts.changes:
        if not change.is_bot and not change.is_sandbox:
            rows[change.day.replace(day=1), change.developer].append(change)
    for (month, developer), changes in rows.items():
        effort = sum(change.effort for change in changes)
        features = sum(change.effort for change in changes if change.category == "features")
        share = round(100 * features / effort, 2) if effort else None
        yield {
            "organization_id": organization, "developer_id": developer,
            # A name that a spreadsheet would run.
            "developer_name": "=HYPERLINK(1)" if facts.developers[developer] == "Ada" else facts.developers[developer],
            "primary_email": f"{facts.developers[developer].lower()}@acme.example", "role": None, "seniority": None,
            "team_id": facts.team_of_month(developer, month), "team": "@web",
            "policy_version": "default", "calculation_version": version, "month": month,
            "hours": 160.0, "capex_percent": share, "capex_percent_low": None if share is None else round(share / 2, 2),
            "capex_percent_high": None if share is None else round((share + 100) / 2, 2),
            "capex_hours": None if share is None else round(1.6 * share, 2),
            "opex_hours": None if share is None else 160 - round(1.6 * share, 2),
            "etv_micro": sum(change.etv for change in changes),
            "effort_micro": effort, "capitalizable_effort_micro": features,
            "capitalizable_etv_micro": sum(c.etv for c in changes if c.category == "features"),
            "commits": len({change.commit for change in changes}), "dates_inferred": True,
            "is_draft": month == TODAY.replace(day=1),
        }  # fmt: skip
