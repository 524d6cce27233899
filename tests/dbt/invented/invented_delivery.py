"""The net difference of one invented delivery, line by line, and its rows of delivered_lines and line_deaths."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import timedelta
from hashlib import sha1
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.dbt.invented.invented_history import History

Row = dict[str, Any]
FRESH = timedelta(days=14)
ROLES = {"tests/": "test", "README": "documentation", "build": "build", "a.lock": "lock"}


@dataclass
class Line:
    """A line in the tree: its facts at birth, and its commits of birth and credit."""

    kind: str
    tokens: int
    own_tokens: int
    rank: int
    in_test: bool
    birth: str
    delivery: str


def facts_of(path: str) -> Row:
    """The facts of a file that follow from its path."""
    role = next((role for part, role in ROLES.items() if path.startswith(part)), "source")
    return {
        "language": "python" if path.endswith(".py") else "unknown",
        "role": role,
        "is_binary": False,
        "is_generated": path.endswith(("page.ts", ".lock")),
        "is_vendored": False,
        "is_minified": False,
    }


class Delivered:
    """The net difference of one delivery, and its rows of delivered_lines and line_deaths."""

    def __init__(self, history: History, sha: str, written: list[str], changed: dict[str, set[str]]) -> None:
        self.history, self.sha, self.written, self.changed = history, sha, written, changed
        self.random = history.random
        self.is_revert = self.random.random() < 0.1
        self.added: dict[str, list[Row]] = defaultdict(list)
        self.removed: dict[str, list[Row]] = defaultdict(list)
        self.status: dict[str, tuple[str, str | None]] = {}

    def add(self, path: str, lines: int) -> None:
        """Add a new file."""
        self.status[path] = ("A", None)
        self.history.files[path] = []
        for _ in range(lines):
            self._add_line(path, None)

    def write_on(self, path: str, lines: int) -> None:
        """Add lines to an existing file."""
        self.status[path] = ("M", None)
        for _ in range(lines):
            self._add_line(path, None)

    def edit(self, path: str) -> None:
        """Remove and add lines of a file; sometimes rename or delete it."""
        history, before = self.history, path
        if path in self.status or path not in history.files:
            if path not in self.status:
                self.add(path, self.random.choice([1, 5, 30]))
            return
        lines = history.files[path]
        status = "M"
        if self.random.random() < 0.1:
            status = "R"
            path = f"{path.rsplit('.', 1)[0]}_{history.position}.{path.rsplit('.', 1)[1]}"
            history.files[path] = history.files.pop(before)
            self._rename_change(before, path)
        removing = (
            len(lines) if self.random.random() < 0.08 else self.random.randrange(min(len(lines), 14) + 1)
        )
        self.status[path] = (status, before if status == "R" else None)
        dead = [lines.pop(self.random.randrange(len(lines))) for _ in range(removing)]
        deaths = [self._remove_line(before, path, line) for line in dead]
        if removing and not lines and self.random.random() < 0.5:
            self.status[path] = ("D", None)
            return
        fresh = [line for line in dead if history.now - history.times[line.delivery] <= FRESH]
        claims = [
            (line, death)
            for line, death in zip(dead, deaths, strict=True)
            if len(history.files[path]) % 6 == 2
        ]
        for line, death in claims:
            self._carry(path, line, death)
        for _ in range(self.random.choice([0, 1, 3, 12])):
            self._add_line(path, self.random.choice(fresh) if fresh and self.random.random() < 0.7 else None)

    def delete(self, path: str) -> None:
        """Delete the whole file."""
        self.status[path] = ("D", None)
        for line in self.history.files.pop(path):
            self._remove_line(path, path, line)

    def _rename_change(self, before: str, path: str) -> None:
        sha = self.random.choice(self.written)
        row = self.history._file_change(sha, self.history.head, path)
        self.history.repository.rows["file_changes"].append(
            row | {"status": "R", "previous_path": before, "similarity": 90}
        )

    def _credited(self, path: str) -> str:
        sha = self.random.choice(self.written)
        if self.status[path][0] != "R":
            self.changed[sha].add(path)
        return sha

    def _add_line(self, path: str, replaced: Line | None) -> None:
        history = self.history
        credited = self._credited(path)
        grave = self._grave() if self.random.random() < 0.25 else None
        if grave is not None:
            line, remover, _ = grave
            kind, removal, birth, original = "returned", remover, line.birth, line.kind
            born = line
        else:
            kind = self.random.choice(["novel"] * 6 + ["comment", "substituted", "copied", "layout"])
            removal, birth, original = None, credited, kind
            tokens = 0 if kind == "layout" else self.random.choice([0, 1, 1, 2, 4, 4, 7, 15, 16, 31])
            own = min(31, tokens + self.random.choice([0, 1, 5])) if replaced else tokens
            rank = self.random.choice([1, 1, 1, 2, 5, 10]) if kind in ("novel", "substituted") else 1
            # Not drawn, so that the other facts stay as they are.
            in_test = facts_of(path)["role"] == "source" and self.random.random() < 0.3
            born = Line(kind, tokens, own, rank, in_test, credited, self.sha)
        is_fresh = replaced is not None and grave is None and born.own_tokens != born.tokens
        self.added[path].append(
            {
                "key": (
                    credited,
                    birth,
                    removal,
                    replaced.birth if replaced and is_fresh else None,
                    "src/origin.py" if kind == "copied" else None,
                ),
                "entry": (kind, original, born.tokens, born.own_tokens, born.rank, born.in_test),
            }
        )
        history.files[path].append(born)

    def _grave(self) -> tuple[Line, str, str] | None:
        """A line that an earlier delivery removed, with its remover and delivery."""
        old = [g for g in self.history.graves if g[2] != self.sha]
        if not old:
            return None
        grave = self.random.choice(old)
        self.history.graves.remove(grave)
        return grave

    def _carry(self, path: str, line: Line, death: Row) -> None:
        """Give a moved or reformatted line the credit of its source line."""
        credited = self._credited(path)
        kind = self.random.choice(["moved", "layout"])
        death["alive"] = True
        self.history.graves[:] = [g for g in self.history.graves if g[0] is not line]
        key = (credited, credited, None, None, None)
        entry = (kind, kind, line.tokens, line.own_tokens, line.rank, line.in_test)
        self.added[path].append({"key": key, "entry": entry})
        self.history.files[path].append(line)

    def _remove_line(self, before: str, path: str, line: Line) -> Row:
        remover = self.random.choice(self.written)
        if self.status[path][0] != "R":
            self.changed[remover].add(path)
        death = {
            "key": (remover, line.birth, line.delivery),
            "line": line,
            "gone": self.random.random() < 0.8,
            "replaced": self.random.random() < 0.5,
            "alive": False,
            "after": path,
        }
        self.removed[before].append(death)
        self.history.graves.append((line, remover, self.sha))
        return death

    def emit(self) -> None:
        """Write the histograms of added and removed lines as rows."""
        rows = self.history.repository.rows
        for path, added in self.added.items():
            rows["delivered_lines"].extend(self._delivered(path, added))
        for path, removed in self.removed.items():
            rows["line_deaths"].extend(self._deaths(path, removed))

    def _delivered(self, path: str, added: list[Row]) -> list[Row]:
        novel = sum(a["entry"][0] == "novel" and a["entry"][2] > 0 for a in added)
        history, status = self.history, self.status[path]
        digest = sha1(repr([a["entry"] for a in added]).encode() + path.encode()).hexdigest()[:32]
        if novel >= 5 and history.hashes and self.random.random() < 0.1:
            digest = self.random.choice(history.hashes)
        history.hashes.append(digest)
        groups: dict[Any, dict[Any, int]] = defaultdict(lambda: defaultdict(int))
        for line in added:
            groups[line["key"]][line["entry"]] += 1
        names = ("class", "original_class", "tokens", "own_tokens", "rank", "in_test")
        return [
            history._row(
                delivery_sha=self.sha,
                predecessor_sha=history.head,
                path=path,
                previous_path=status[1],
                status=status[0],
                **facts_of(path),
                content_hash=digest,
                novel_lines=novel,
                credited_sha=key[0],
                birth_sha=key[1],
                removal_sha=key[2],
                replaced_sha=key[3],
                copied_from=key[4],
                lines=[
                    dict(zip(names, entry, strict=True)) | {"lines": n} for entry, n in sorted(bins.items())
                ],
            )
            for key, bins in groups.items()
        ]

    def _deaths(self, path: str, removed: list[Row]) -> list[Row]:
        groups: dict[Any, dict[Any, int]] = defaultdict(lambda: defaultdict(int))
        for death in removed:
            line = death["line"]
            entry = (
                line.kind,
                line.tokens,
                line.own_tokens,
                line.rank,
                line.in_test,
                death["gone"],
                death["replaced"],
                death["alive"],
            )
            groups[death["key"]][entry] += 1
        names = (
            "class",
            "tokens",
            "own_tokens",
            "rank",
            "in_test",
            "has_token_gone",
            "is_replaced",
            "is_alive_elsewhere",
        )
        return [
            self.history._row(
                delivery_sha=self.sha,
                remover_sha=remover,
                path=path,
                origin_sha=birth,
                birth_sha=birth,
                birth_delivery_sha=delivery,
                **facts_of(path),
                is_file_deleted=self.status[removed[0]["after"]][0] == "D",
                is_revert=self.is_revert,
                lines=[
                    dict(zip(names, entry, strict=True)) | {"lines": n} for entry, n in sorted(bins.items())
                ],
            )
            for (remover, birth, delivery), bins in groups.items()
        ]
