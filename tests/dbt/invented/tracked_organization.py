"""The invented organization with trackers, and repositories full of false keys, of fixes of bugs and of signs of tools.

The context of its fixes comes from earlier commits and from the same delivery.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from ingest.git.messages.parse import Trailer
from ingest.git.messages.references import find_in_line, find_in_message
from tests.dbt.invented import invented_lake, signed_commits
from tests.dbt.invented.invented_delivery import facts_of
from tests.dbt.invented.invented_history import ORGANIZATION_ID, PEOPLE, VERSION, History, Repository
from tests.dbt.invented.invented_trackers import FALSE_KEYS, JIRA, Trackers, item, reference

Row = dict[str, Any]
REAL_KEY = "ABC-3"
# A few bugs, two of which are resolved, and an issue of another type.
BUGS: list[dict[str, Any]] = [
    {"key": "BUG-1", "type_name": "Bug", "status_category": "done", "resolution": "Fixed"},
    {"key": "BUG-2", "labels": ["ui", "kind/bug"], "status_category": "done"},
    {"key": "BUG-3", "type_name": "Bug", "status_category": "doing"},
    {"key": "BUG-4", "type_name": "Bug", "status_category": "done", "resolution": "Won't Fix"},
    {"key": "TASK-1", "type_name": "Debugging task", "status_category": "done"},
]
RESOLVED = ("BUG-1", "BUG-2")


@dataclass(frozen=True)
class Tracked:
    """All repositories, `keys` and `buggy` among them, the commits of signed_commits.COMMITS, and trackers."""

    repositories: list[Repository]
    keys: Repository
    buggy: list[Repository]
    signed_shas: list[str]
    trackers: Trackers

    @classmethod
    def invented(cls) -> Tracked:
        repositories = invented_lake.organization()
        trackers = Trackers.of(repositories)
        trackers.items[JIRA] += [
            item(JIRA, f"bug{number}", "story", **one) for number, one in enumerate(BUGS)
        ]
        keys, buggy = _with_false_keys(), [_with_fixes(seed) for seed in (21, 22)]
        signed, shas = signed_commits.signed()
        for repository in repositories:
            _add_context(repository, random.Random(repository.name))
        return cls([*repositories, keys, *buggy, signed], keys, buggy, shas, trackers)

    def read_before_too(self) -> Trackers:
        """The trackers, each also with the rows of a connection that the settings no longer have."""
        own = self.trackers
        lost = {one: f"{one[:-4]}105{one[-1]}" for one in own.items}
        items = {new: [row | {"connection_id": new} for row in own.items[one]] for one, new in lost.items()}
        deletions: dict[str, list[Row]] = {new: [] for new in lost.values()}
        return Trackers(own.items | items, own.deletions | deletions, control=own.control)


def _with_false_keys() -> Repository:
    """Every form of every false key, in messages and code, and one real key."""
    history = History("acme/keys", seed=8)
    texts = {history.say(f"Use {key} here"): key for key in FALSE_KEYS}
    texts[history.say(f"Closes {REAL_KEY}")] = REAL_KEY
    repository = history.finish()
    for sha, key in texts.items():
        body = f"Fixes {key}, see {key.lower()}.\n\nIssue: {key}"
        found = find_in_message(f"Use {key} here", body, [Trailer("Issue", key)])
        found += find_in_line(f'x = "{key}"  # {key} #333'.encode())
        path = next(row["path"] for row in repository.rows["file_changes"] if row["commit_sha"] == sha)
        for one in found:
            where = path if one.found_in == "code" else None
            row = reference(repository, sha, one.found_in, one.shape, one.target, where)
            repository.rows["references"].append(row)
    return repository


def _with_fixes(seed: int) -> Repository:
    """A history of half a year in which every third commit names a resolved bug."""
    history = History(f"acme/bugs{seed}", seed=seed, people=PEOPLE[3:6], hours=(5, 60, 200))
    for _ in range(40):
        history.deliver()
    repository = history.finish()
    for number, commit in enumerate(repository.rows["commits"]):
        commit["subject"] = "fix: a crash" if number % 4 else "feat: a page"
        key = ("BUG-1", "BUG-2", "BUG-3", "BUG-4", "TASK-1", "NONE-1")[number % 6]
        row = reference(repository, commit["commit_sha"], "subject", "key", key)
        repository.rows["references"].append(row)
    return repository


def _add_context(repository: Repository, rng: random.Random) -> None:
    """Lines of earlier commits around those of fixes."""
    subjects = {row["commit_sha"]: row["subject"] for row in repository.rows["commits"]}
    known: list[str] = []
    for delivery in repository.rows["deliveries"]:
        known += delivery["commit_shas"]
        for sha in delivery["commit_shas"]:
            if "fix" in subjects[sha].lower() and rng.random() < 0.7:
                for path in rng.sample(["src/core.py", "src/api.py", "tests/test_core.py", "a.lock"], 2):
                    for origin in rng.sample(known[-12:], min(3, len(known))):
                        repository.rows["fix_context"].append(
                            {
                                "organization_id": ORGANIZATION_ID,
                                "repository_id": repository.id,
                                "delivery_sha": delivery["delivery_sha"],
                                "commit_sha": sha,
                                "path": path,
                                "origin_sha": origin,
                                "near_weight_micro": rng.choice([0, 0, 333_333, 1_250_000]),
                                "function_lines": rng.choice([0, 3, 40]),
                                **facts_of(path),
                                "extractor_version": VERSION,
                            }
                        )
