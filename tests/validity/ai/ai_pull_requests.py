"""AI evidence in pull requests themselves: account of the author, text and branch."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa

from ingest.schemas import TABLES
from orchestration.deployment import LOCAL_ORGANIZATION
from tests.validity import bootstrap
from tests.validity.ai.ai_names import NAMES, Sign
from tests.validity.ai.ai_recall import TOOL_WORDS
from tests.validity.claims import NO_BAR, Bar, Baseline, Outcome, Result
from tests.validity.labelled_sets import Row

_WITH_BRANCH = Bar(at_least=0.95, aim=1.0)
CONNECTION = "00000000-0000-7000-8000-000000000002"
_AT = datetime(2025, 6, 1, tzinfo=UTC)
_APPS = ("Copilot", "devin-ai-integration[bot]", "cursor[bot]", "claude[bot]")
# The form of the branches that the tool makes. The set was drawn from the hosts by these beginnings or by the author
# and lacks the names; Claude Code works on branches of people.
_BRANCHES: Mapping[str, Callable[[str, int], str]] = {
    "OpenAI_Codex": lambda slug, _: f"codex/{slug}",
    "Copilot": lambda _, number: f"copilot/fix-{number}",
    "Cursor": lambda slug, number: f"cursor/{slug}-{number % 65536:04x}",
    "Devin": lambda slug, number: f"devin/{1700000000 + number}-{slug}",
}


def table(rows: Sequence[Row], repository_id: str) -> pa.Table:
    """The pull requests of the set as a host lists them: first with the tool's branch, then all again without."""
    twice = [
        _raw(row, number, repository_id, number < len(rows)) for number, row in enumerate([*rows, *rows])
    ]
    return pa.Table.from_pylist(twice, schema=TABLES["hosts", "pull_requests"])


def results(rows: Sequence[Row], signs: Mapping[int, Sign], version: str) -> Iterator[Outcome]:
    """Two lines per tool. `signs` are by number of the pull request in `table`."""
    for tool in TOOL_WORDS:
        own = [number for number, row in enumerate(rows) if row["agent"] == tool]
        if own:
            yield _result(tool, rows, own, [signs.get(number, set()) for number in own], version, True)
            without = [signs.get(number + len(rows), set()) for number in own]
            yield _result(tool, rows, own, without, version, False)


def _result(
    tool: str, rows: Sequence[Row], own: Sequence[int], signs: Sequence[Sign], version: str, with_branch: bool
) -> Result:
    found = [any(TOOL_WORDS[tool] in name or name == "disclosed" for name, _ in sign) for sign in signs]
    named = [bool(NAMES.search(" ".join(rows[n][key] for key in ("user", "title", "body")))) for n in own]
    return Result(
        "AI evidence",
        f"recall of pull requests by author, text {'and branch' if with_branch else 'alone'}, {tool.replace('_', ' ')}",
        "aidev_prs",
        len(own),
        "pull request",
        bootstrap.mean(found),
        bootstrap.share(found),
        version,
        can_show="whether a pull request of the tool is known by what it shows itself, without its commits.",
        cannot_show="how many agents leave their branches: the set was drawn by them and lacks the names, so that they "
        "are filled in; signs behind 1,200 characters, where the set cuts texts.",
        bar=_WITH_BRANCH if with_branch and tool == "OpenAI_Codex" else NO_BAR,
        baselines=(Baseline("tool named", bootstrap.mean(named)),),
    )


def _raw(row: Row, number: int, repository_id: str, with_branch: bool) -> dict[str, Any]:
    slug = re.sub(r"[^a-z0-9]+", "-", row["title"].lower()).strip("-")[:40] or "task"
    form = _BRANCHES.get(row["agent"]) if with_branch else None
    branch = form(slug, number) if form else "topic"
    return {
        "organization_id": LOCAL_ORGANIZATION, "connection_id": CONNECTION, "batch": 1,
        "provider_id": f"{number}", "repository_id": repository_id, "number": number, "title": row["title"],
        "body": row["body"], "state": "closed", "is_draft": False, "author": row["user"], "author_name": None,
        "author_kind": "bot" if row["user"] in _APPS else "person", "created_at": _AT, "updated_at": _AT,
        "merged_at": None, "closed_at": _AT, "merged_by": None, "source_branch": branch, "target_branch": "main",
        "is_from_fork": False, "head_sha": None, "merge_sha": None, "squash_sha": None, "comment_count": None,
        "lines_added": None, "lines_deleted": None, "url": None, "labels": [], "reviewers": [], "linked_issues": [],
        "events": [], "commits": [], "commit_count": 0, "payload": "{}", "connector_version": "1",
    }  # fmt: skip
