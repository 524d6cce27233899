"""Invents repositories line by line and writes them as raw facts: small, deterministic, full of corner cases.

Every line is an object with a commit of birth, so that births, deaths, moves and returns agree with each other the
way extraction makes them agree. Keep out: scores (naive_scores.py).
"""

from __future__ import annotations

import itertools
import random
import uuid
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from hashlib import sha1
from typing import Any

from tests.dbt.invented.invented_delivery import Delivered, Line, Row, facts_of

ORGANIZATION_ID = "0190d3b0-0000-7000-8000-00000000d0d0"
START = datetime(2025, 1, 6, 9, tzinfo=UTC)
VERSION = "invented"

PEOPLE = [
    ("Ada Lovelace", "ada@example.net"),
    ("Ada M. Lovelace", "12345+ada@users.noreply.github.com"),
    ("ADA LOVELACE", "Ada@Example.net"),
    ("Grace Hopper", "grace@navy.example.net"),
    ("grace", "grace@navy.example.net"),
    ("Devin Doe", "devin@people.example.net"),
    ("root", "root@localhost"),
    ("dependabot[bot]", "49699333+dependabot[bot]@users.noreply.github.com"),
    ("Copilot", "198982749+Copilot@users.noreply.github.com"),
]
CO_AUTHORS = [
    "Grace Hopper <grace@navy.example.net>",
    "Ada Lovelace <ada@example.net>",
    "Claude <noreply@anthropic.com>",
    "Devin Doe <devin@people.example.net>",
]
SUBJECTS = [
    "feat: parse dates",
    "fix(api): wrong total",
    "Add a page of figures",
    "Fix crash on start",
    "Tidy up",
]
PATHS = [
    "src/core.py",
    "src/api.py",
    "src/page.ts",
    "tests/test_core.py",
    "README.md",
    "build.gradle",
    "a.lock",
]


@dataclass
class Repository:
    """The raw rows of one repository, by table."""

    name: str
    rows: dict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    settings: Row = field(default_factory=dict)

    @property
    def id(self) -> str:
        return str(uuid.uuid5(uuid.UUID(ORGANIZATION_ID), f"repository:{self.name}"))


class History:
    """Grows one repository, delivery by delivery."""

    def __init__(
        self,
        name: str,
        seed: int,
        people: Sequence[tuple[str, str]] = PEOPLE,
        hours: Sequence[int] = (0, 3, 20, 50, 120, 400),
        written_before: Sequence[timedelta] = (timedelta(0),),
    ) -> None:
        """`written_before`: how long before their delivery commits were written, one after the other."""
        self.repository = Repository(name)
        self.random = random.Random(seed)
        self.people, self.hours = people, hours
        self.now = START
        self.written_before = itertools.cycle(written_before)
        self.files: dict[str, list[Line]] = {}
        self.graves: list[tuple[Line, str, str]] = []
        self.times: dict[str, datetime] = {}
        self.head: str | None = None
        self.position = 0
        self.hashes: list[str] = []

    def deliver(self, edits: int | None = None) -> None:
        """One delivery of one to four commits that edits some files."""
        self.now += timedelta(hours=self.random.choice(self.hours))
        count = self.random.choice([1, 1, 2, 4])
        shas = [self._sha(n) for n in range(count)]
        delivery = shas[-1]
        is_merge = count > 1
        authors = [self.random.choice(self.people) for _ in shas]
        self.times[delivery] = self.now
        written = shas[:-1] if is_merge and self.random.random() < 0.9 else shas
        changed: dict[str, set[str]] = defaultdict(set)
        delivered = Delivered(self, delivery, written, changed)
        for path in self._chosen(edits or self.random.choice([1, 2, 3, 5])):
            delivered.edit(path)
        delivered.emit()
        self._close(delivered, shas, authors, changed)

    def add_files(
        self, count: int, author: tuple[str, str], lines: int = 2, beside: Sequence[str] = ()
    ) -> None:
        """One commit of many new files, and of those `beside` them; enough of them are an import."""
        with self._single(author) as delivered:
            for path in (*(f"src/imported/{self.position}_{n}.py" for n in range(count)), *beside):
                delivered.add(path, lines)

    def change_files(self, count: int, author: tuple[str, str]) -> None:
        """One commit that edits the newest files."""
        with self._single(author) as delivered:
            for path in list(self.files)[-count:]:
                delivered.edit(path)

    def write_on(self, count: int, author: tuple[str, str], lines: int, *, newest: bool = False) -> None:
        """One commit that adds lines to the oldest or newest files."""
        with self._single(author) as delivered:
            for path in list(self.files)[-count:] if newest else list(self.files)[:count]:
                delivered.write_on(path, lines)

    def remove_all(self) -> None:
        """One commit that deletes every file."""
        with self._single(self.people[0]) as delivered:
            for path in list(self.files):
                delivered.delete(path)

    def say(
        self,
        subject: str,
        body: str = "",
        author: tuple[str, str] = PEOPLE[3],
        committer: tuple[str, str] | None = None,
        trailers: Sequence[tuple[str, str]] = (),
        branch: str | None = None,
        path: str | None = None,
    ) -> str:
        """One delivered commit with the given message; returns its sha."""
        with self._single(author) as delivered:
            delivered.add(path or f"src/said_{self.position}.py", 3)
        commit, delivery = self.repository.rows["commits"][-1], self.repository.rows["deliveries"][-1]
        name, email = committer or author
        commit |= {"subject": subject, "body": body, "committer_name": name, "committer_email": email}
        commit["trailers"] = [{"key": key, "value": value} for key, value in trailers]
        delivery["branch_names"] = [branch] if branch else []
        return str(commit["commit_sha"])

    @contextmanager
    def _single(self, author: tuple[str, str]) -> Iterator[Delivered]:
        self.now += timedelta(hours=5)
        sha = self._sha(0)
        self.times[sha] = self.now
        changed: dict[str, set[str]] = defaultdict(set)
        delivered = Delivered(self, sha, [sha], changed)
        delivered.is_revert = False
        yield delivered
        delivered.emit()
        self._close(delivered, [sha], [author], changed)

    def _close(
        self,
        delivered: Delivered,
        shas: list[str],
        authors: list[tuple[str, str]],
        changed: dict[str, set[str]],
    ) -> None:
        is_merge = len(shas) > 1
        self._commits(shas, authors, is_merge, changed, delivered.status)
        self.repository.rows["deliveries"].append(
            self._row(
                delivery_sha=shas[-1],
                predecessor_sha=self.head,
                position=self.position,
                kind="merge" if is_merge else "direct",
                delivered_at=self.now,
                branch_names=["feature/one"] if is_merge else [],
                pull_request=None,
                is_revert=delivered.is_revert,
                is_unrelated_root=False,
                commit_shas=shas,
                unrelated_shas=[],
                joining_shas=[],
                upstream_shas=[],
                upstream_base=None,
            )
        )
        self.head, self.position = shas[-1], self.position + 1

    def finish(self, **settings: Any) -> Repository:
        """Add the rows about the whole repository."""
        rows = self.repository.rows
        shas = [r["commit_sha"] for r in rows["commits"]]
        for sha in shas:
            rows["reachability"].append(
                self._row(
                    commit_sha=sha,
                    from_default=True,
                    from_branch=True,
                    from_tag=False,
                    from_review=False,
                    from_upstream=False,
                )
            )
        rows["repository_runs"].append(
            self._row(
                name=self.repository.name,
                origin=f"https://git.example.org/{self.repository.name}",
                default_branch="main",
                head_sha=self.head or "",
                is_shallow=False,
                is_partial=False,
                commit_count=len(shas),
                skipped_objects=0,
                misdated_deliveries=0,
                clamped_times=0,
            )
        )
        self.repository.settings = settings
        return self.repository

    def map(self, commit: str, proper: str, name: str | None = None) -> None:
        """Add a mailmap entry that maps an address (and name) to another person."""
        entry = {"commit_address": commit, "commit_name": name, "proper_address": proper, "proper_name": None}
        self.repository.rows["mailmap_entries"].append(self._row(**entry))

    def forked(self, name: str) -> History:
        """A fork of the repository with its present history."""
        fork = deepcopy(self)
        fork.repository.name = name
        for rows in fork.repository.rows.values():
            for row in rows:
                row["repository_id"] = fork.repository.id
        return fork

    def _sha(self, number: int) -> str:
        return sha1(f"{self.repository.name} {self.position} {number}".encode()).hexdigest()

    def _row(self, **columns: Any) -> Row:
        identity = {"organization_id": ORGANIZATION_ID, "repository_id": self.repository.id}
        return identity | columns | {"extractor_version": VERSION}

    def _chosen(self, count: int) -> list[str]:
        known = sorted(self.files)
        names = [*PATHS, *(f"src/new_{self.position}_{n}.py" for n in range(2)), *known]
        return list(dict.fromkeys(self.random.choice(names) for _ in range(count)))

    def _commits(
        self,
        shas: list[str],
        authors: list[tuple[str, str]],
        is_merge: bool,
        changed: dict[str, set[str]],
        statuses: dict[str, tuple[str, str | None]],
    ) -> None:
        parent = self.head
        added: set[str] = set()
        for number, (sha, (name, email)) in enumerate(zip(shas, authors, strict=True)):
            merges = is_merge and number == len(shas) - 1
            parents = [p for p in ([self.head, parent] if merges else [parent]) if p]
            trailers = []
            if self.random.random() < 0.3:
                some = self.random.sample(CO_AUTHORS, self.random.choice([1, 2, 3]))
                trailers = [{"key": "Co-authored-by", "value": value} for value in some]
            self.repository.rows["commits"].append(
                self._row(
                    commit_id=str(uuid.uuid5(uuid.UUID(ORGANIZATION_ID), f"commit:{sha}")),
                    commit_sha=sha,
                    parent_shas=parents,
                    tree_sha=sha,
                    is_merge=merges,
                    author_name=name,
                    author_email=email,
                    authored_at=self.now - next(self.written_before),
                    author_offset_minutes=60,
                    committer_name=name,
                    committer_email=email,
                    committed_at=self.now,
                    committer_offset_minutes=60,
                    is_time_clamped=False,
                    is_malformed=False,
                    subject=self.random.choice(SUBJECTS),
                    body="",
                    trailers=trailers,
                    patch_id=None,
                    files_changed=len(changed[sha]),
                    lines_added=0,
                    lines_deleted=0,
                )
            )
            for path in sorted(changed[sha]):
                # The first commit of a branch adds a file; the others change it.
                status = statuses[path][0]
                own = "M" if status == "R" or path in added else status
                added |= {path} if status == "A" else set()
                row = self._file_change(sha, parent, path)
                self.repository.rows["file_changes"].append(row | {"status": own})
            parent = sha

    def _file_change(self, sha: str, parent: str | None, path: str) -> Row:
        added = self.random.randrange(9)
        return self._row(
            commit_sha=sha, parent_sha=parent, path=path, previous_path=None, status="M", similarity=None,
            old_blob=None, new_blob=None, **facts_of(path), lines_added=added, lines_deleted=1, code_added=added,
            comment_added=0, blank_added=0, code_deleted=1, comment_deleted=0, blank_deleted=0, lines_after=10,
            hunks=[], other_parents=[], symbols=[], skipped_reason=None, machine_evidence=None, copyrights=[],
            known_library=None, published_lines=None, published_later_lines=None, compared_lines=None,
        )  # fmt: skip
