"""The definition of the score in plain loops over single lines, for comparison with the warehouse.

Reads raw rows only. The constants are repeated here on purpose.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

from tests.dbt.naive import naive_imports, naive_people, naive_rules

Row = dict[str, Any]
WINDOW = timedelta(days=14)
ROLE = {name: Fraction(1) for name in ("source", "build")}
ROLE |= {"test": Fraction(1, 4), "documentation": Fraction(1, 4), "lock": Fraction(0)}

Who = Callable[[list[tuple[str, str]]], dict[tuple[str, str], int]]


@dataclass
class File:
    """One commit × file. Points in millionths."""

    role: str = "source"
    is_generated: bool = False
    status: str = "M"
    in_delivery: bool = False
    line_points: int = 0
    removed_points: int = 0
    bonus: int = 0
    novel: int = 0
    delivered: int = 0
    in_tests: int = 0
    # The part of line_points and removed_points that is of lines in tests.
    test_points: int = 0
    # The commit's own change of the file, and its added and finally removed lines.
    own_status: str | None = None
    added: int = 0
    gone: int = 0
    reason: str | None = None
    etv: int = 0
    effort: int = 0
    points: int = 0


@dataclass
class Commit:
    row: Row
    repository: str
    delivery: Row
    number: int
    shares: list[tuple[int, int]]
    is_robot: bool
    files: dict[str, File] = field(default_factory=lambda: defaultdict(File))

    @property
    def author(self) -> int:
        return self.shares[0][0]

    @property
    def at(self) -> datetime:
        at: datetime = self.delivery["delivered_at"]
        return at

    @property
    def order(self) -> tuple[int, int]:
        return self.delivery["position"], self.number


def weight(kind: str, tokens: int, rank: int) -> int:
    """Millionths of a point of one line."""
    if kind == "comment":
        return round(50_000 / rank**2) if tokens else 0
    if kind not in ("novel", "substituted"):
        return 0
    with localcontext() as context:
        context.prec = 40
        exact = Decimal(min(tokens, 15)).sqrt() * 1_000_000
        if kind == "substituted":
            exact /= rank * rank
        for _ in range(5, rank):
            exact /= 5 if kind == "novel" else 1
    return int(exact.to_integral_value(ROUND_HALF_UP))


def in_tests(points: int) -> int:
    """The points of a line inside a test of a source file."""
    return rounded(points * ROLE["test"])


def rounded(value: Fraction) -> int:
    return int((value * 2 + 1) // 2)


class Scores:
    """All delivered commits in the repository where they count, with their files."""

    def __init__(
        self,
        tables: dict[str, list[Row]],
        time_zone: str,
        who: Who = naive_people.groups,
        known_robots: Collection[tuple[str, str]] = (),
    ) -> None:
        """`who` maps a list of people to numbers; aliases of a person get the same number.

        People said that `known_robots` are robots.
        """
        self.tables, self.zone, self.known_robots = tables, ZoneInfo(time_zone), known_robots
        self.settings = {r["repository_id"]: r for r in tables["settings"]}
        people = {(c["author_name"], c["author_email"]) for c in tables["commits"]}
        people |= {p for c in tables["commits"] for p in naive_people.co_authors(c)}
        self.people = who(sorted(people))
        self.commits = self._homes()
        self._read_files()
        self._deliver_lines()
        self._remove_lines()
        self.origins = naive_rules.origins(tables["file_changes"], tables["deliveries"])
        self._judge()
        self._add_bonuses()
        for commit in self.commits.values():
            for file in commit.files.values():
                own = (file.line_points + file.removed_points + file.bonus) * ROLE[file.role]
                file.points = rounded(own)
                file.effort = file.etv = rounded(own / 58)

    def _homes(self) -> dict[str, Commit]:
        found: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
        for delivery in self.tables["deliveries"]:
            given = self.settings[delivery["repository_id"]]
            for number, sha in enumerate(delivery["commit_shas"], start=1):
                key = (
                    given["is_excluded"],
                    given["is_sandbox"],
                    delivery["delivered_at"],
                    delivery["repository_id"],
                )
                found[sha].append((key, number, delivery))
        rows = {(c["repository_id"], c["commit_sha"]): c for c in self.tables["commits"]}
        homes = {}
        for sha, places in found.items():
            _, number, delivery = min(places, key=lambda p: p[0])
            row = rows[delivery["repository_id"], sha]
            shares, is_robot = naive_people.shares(row, self.people, self.known_robots)
            homes[sha] = Commit(row, delivery["repository_id"], delivery, number, shares, is_robot)
        return homes

    def _at_home(self, row: Row, sha: str) -> bool:
        return naive_rules.at_home(self.commits, row, sha)

    def _read_files(self) -> None:
        for row in self.tables["file_changes"]:
            if self._at_home(row, row["commit_sha"]):
                file = self.commits[row["commit_sha"]].files[row["path"]]
                file.role, file.is_generated, file.status = row["role"], row["is_generated"], row["status"]
                file.own_status, file.added, file.gone = (
                    row["status"],
                    row["lines_added"],
                    row["lines_deleted"],
                )

    def _is_own_fresh(self, later: str, earlier: str, row: Row) -> bool:
        """Whether one developer delivered both commits in one repository, the second within the window."""
        if earlier not in self.commits or not self._at_home(row, later) or not self._at_home(row, earlier):
            return False
        one, other = self.commits[later], self.commits[earlier]
        return one.author == other.author and one.at - other.at <= WINDOW

    def _deliver_lines(self) -> None:
        taken_by = {
            (r["remover_sha"], r["birth_sha"])
            for r in self.tables["line_deaths"]
            if self._is_own_fresh(r["remover_sha"], r["birth_sha"], r)
        }
        own_replacers = {
            (r["credited_sha"], r["replaced_sha"])
            for r in self.tables["delivered_lines"]
            if r["replaced_sha"] in self.commits
            and r["credited_sha"] in self.commits
            and self.commits[r["replaced_sha"]].author == self.commits[r["credited_sha"]].author
        }
        replacing = {credited for credited, _ in own_replacers}
        # Lines that hold credit, one entry each: (birth, bin) → [restored?, order, path, commit, weight].
        self.credit: dict[tuple[Any, ...], list[list[Any]]] = defaultdict(list)
        for row in self.tables["delivered_lines"]:
            sha = row["credited_sha"]
            if not self._at_home(row, sha):
                continue
            restored = (row["removal_sha"], row["birth_sha"]) in taken_by
            own = row["birth_sha"] in replacing if restored else (sha, row["replaced_sha"]) in own_replacers
            file = self.commits[sha].files[row["path"]]
            file.role, file.is_generated, file.status = row["role"], row["is_generated"], row["status"]
            file.own_status = file.own_status or row["status"]
            file.in_delivery = True
            for line in row["lines"]:
                kind = line["original_class"] if restored else line["class"]
                each = weight(kind, line["own_tokens"] if own else line["tokens"], line["rank"])
                each = in_tests(each) if line["in_test"] else each
                file.line_points += each * line["lines"]
                file.delivered += line["lines"]
                file.novel += line["lines"] if line["class"] == "novel" else 0
                file.in_tests += line["lines"] if line["in_test"] else 0
                file.test_points += each * line["lines"] if line["in_test"] else 0
                file.gone -= line["lines"] if line["class"] in ("moved", "layout") else 0
                bin_ = (
                    line["original_class"], line["tokens"], line["own_tokens"], line["rank"], line["in_test"],
                )  # fmt: skip
                if (line["class"] == "returned") == restored:
                    key = (row["birth_sha"] if restored else sha, *bin_)
                    order = (restored, *self.commits[sha].order, sha, row["path"])
                    self.credit[key] += [
                        [order, row["path"], sha, each, restored] for _ in range(line["lines"])
                    ]

    def _remove_lines(self) -> None:
        eligible: dict[tuple[str, str], dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
        renamed: dict[tuple[str, str], str] = {
            (r["delivery_sha"], r["previous_path"]): r["path"]
            for r in self.tables["delivered_lines"]
            if r["previous_path"] and self._at_home(r, r["credited_sha"])
        }
        taken: dict[tuple[Any, ...], list[str]] = defaultdict(list)
        gone: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
        first = naive_imports.first_code(self)
        first -= {row["sha"] for row in self.tables["decisions"] if not row["is_out"]}
        facts = {}
        for row in self.tables["line_deaths"]:
            remover = row["remover_sha"]
            if not self._at_home(row, remover):
                continue
            fresh = self._is_own_fresh(remover, row["birth_sha"], row)
            file = self.commits[remover].files.get(row["path"])
            has_gone_whole = file is not None and file.own_status == "D"
            for line in row["lines"]:
                if fresh and not line["is_alive_elsewhere"]:
                    key = (
                        row["birth_sha"], line["class"], line["tokens"], line["own_tokens"], line["rank"],
                        line["in_test"],
                    )  # fmt: skip
                    taken[key] += [row["path"]] * line["lines"]
                counted = max(weight(line["class"], line[t], line["rank"]) for t in ("tokens", "own_tokens"))
                if (
                    not fresh and counted >= 50_000 and line["has_token_gone"] and not line["is_alive_elsewhere"]
                    and not row["is_revert"] and ROLE[row["role"]] and not row["is_generated"]
                    and not (has_gone_whole and row["birth_sha"] in first)
                ):  # fmt: skip
                    kind = (
                        line["class"], line["tokens"], line["own_tokens"], line["rank"], line["in_test"],
                    )  # fmt: skip
                    gone[remover, row["birth_sha"], kind] += [row] * line["lines"]
        naive_rules.restored(self.tables["delivered_lines"], gone, self._is_own_fresh)
        tests: Counter[tuple[str, str]] = Counter()
        for (remover, _, kind), rows in gone.items():
            for row in rows:
                old: str = row["path"]
                path = renamed.get((row["delivery_sha"], old), old)
                eligible[row["repository_id"], row["delivery_sha"]][path][remover] += 1
                tests[remover, path] += kind[-1] and row["role"] == "source"
                facts[remover, path] = row
        self._without_substituted(eligible, tests)
        self._take_back(taken)
        rooms = self._rooms(eligible)
        for files in eligible.values():
            left_of_delivery = 100
            for path in sorted(files):
                room = {sha: min(lines, rooms[sha, path]) for sha, lines in files[path].items()}
                left = min(10, left_of_delivery, sum(room.values()))
                left_of_delivery -= left
                for remover in sorted(files[path]):
                    full = min(left, room[remover])
                    left -= full
                    commit = self.commits[remover]
                    is_new = path not in commit.files or not commit.files[path].in_delivery
                    file = commit.files[path]
                    if is_new:
                        file.role, file.is_generated = facts[remover, path]["role"], False
                        file.status = "M"
                    file.in_delivery = True
                    lines, of_tests = files[path][remover], tests[remover, path]
                    # Lines outside tests come first.
                    prices = [1_000_000] * full + [50_000] * (lines - full)
                    file.removed_points += sum(prices[: lines - of_tests])
                    test_points = sum(map(in_tests, prices[lines - of_tests :]))
                    file.removed_points += test_points
                    file.test_points += test_points

    def _without_substituted(
        self,
        eligible: Mapping[tuple[str, str], Mapping[str, Counter[str]]],
        tests: Counter[tuple[str, str]],
    ) -> None:
        """Lines that repeated substitutions replace are no removals."""
        substituted = [
            (row["credited_sha"], row["path"], line)
            for row in self.tables["delivered_lines"]
            if self._at_home(row, row["credited_sha"])
            for line in row["lines"]
            if line["class"] == "substituted"
        ]
        for files in eligible.values():
            for path, removers in files.items():
                for remover in list(removers):
                    of_file = [line for sha, file, line in substituted if (sha, file) == (remover, path)]
                    removers[remover] -= sum(line["lines"] for line in of_file)
                    tests[remover, path] -= sum(line["lines"] for line in of_file if line["in_test"])
                    tests[remover, path] = min(max(tests[remover, path], 0), removers[remover])
                    if removers[remover] <= 0:
                        del removers[remover]

    def _rooms(
        self, eligible: Mapping[tuple[str, str], Mapping[str, Counter[str]]]
    ) -> dict[tuple[str, str], int]:
        """By commit and path, the remainder of ten lines after the author's other commits within the window."""
        removals = defaultdict(list)
        for (repository, _), files in eligible.items():
            for path, lines in files.items():
                for sha, count in lines.items():
                    commit = self.commits[sha]
                    removals[commit.author, repository, path].append((commit.at, *commit.order, sha, count))
        rooms = {}
        for (*_, path), rows in removals.items():
            for at, *order, sha, _ in rows:
                earlier = [r[-1] for r in rows if r[:-2] < (at, *order) and at - r[0] <= WINDOW]
                rooms[sha, path] = max(0, 10 - sum(earlier))
        return rooms

    def _take_back(self, taken: dict[tuple[Any, ...], list[str]]) -> None:
        for key, paths in taken.items():
            holders = sorted(self.credit.get(key, []), key=lambda h: h[0])
            charged: dict[tuple[str, str], list[int]] = defaultdict(list)
            left = list(paths)
            for path in paths:
                for holder in holders:
                    if holder[1] == path and not holder[4]:
                        holders.remove(holder)
                        charged[holder[2], path].append(holder[3])
                        left.remove(path)
                        break
            for holder in holders[: len(left)]:
                charged[holder[2], holder[1]].append(holder[3])
            for (sha, path), weights in charged.items():
                file = self.commits[sha].files[path]
                file.line_points -= sum(weights)
                file.test_points -= sum(weights) if key[-1] else 0

    def _judge(self) -> None:
        imports = naive_imports.bursts(self)
        decided = {row["sha"]: row["is_out"] for row in self.tables["decisions"]}
        duplicates = naive_rules.duplicates(
            self.tables["delivered_lines"], self.commits, self.settings, {s for s in decided if decided[s]}
        )
        passed_on = {
            (row["birth_sha"], row["path"])
            for row in self.tables["delivered_lines"]
            if row["birth_sha"] != row["credited_sha"]
        }
        for sha, commit in self.commits.items():
            for path, file in commit.files.items():
                key = (commit.repository, commit.delivery["delivery_sha"], path)
                file.reason = (
                    ("EXCLUDED_BY_HAND" if decided.get(sha) else None)
                    or ("EXCLUDED" if self.settings[commit.repository]["is_excluded"] else None)
                    or ("BOT" if commit.is_robot else None)
                    or ("IMPORT" if sha in imports and sha not in decided else None)
                    or ("LOCK" if file.role == "lock" else None)
                    or ("GENERATED" if file.is_generated else None)
                    or ("DUPLICATE" if key in duplicates and sha not in decided else None)
                    or (
                        None
                        if file.in_delivery
                        else naive_rules.undelivered(
                            commit.row, file.added, is_passed_on=(sha, path) in passed_on
                        )
                    )
                )
                if file.reason:
                    file.line_points = file.removed_points = 0
                elif file.line_points + file.removed_points == 0:
                    file.reason = "NO_COUNTED_LINES"

    def origin(self, commit: Commit, path: str) -> str:
        return self.origins[commit.repository, commit.delivery["position"]].get(path, path)

    def _add_bonuses(self) -> None:
        touched = defaultdict(list)
        for commit in self.commits.values():
            for path, file in commit.files.items():
                if file.line_points > 0 and file.novel and file.status != "A" and ROLE[file.role]:
                    touched[commit.author, commit.repository, self.origin(commit, path)].append(
                        (commit.at, *commit.order, path, file)
                    )
        for rows in touched.values():
            rows.sort(key=lambda r: r[:4])
            for n, row in enumerate(rows):
                own = row[4].line_points + row[4].removed_points
                before = sum(
                    r[4].line_points + r[4].removed_points for r in rows[:n] if row[0] - r[0] <= WINDOW
                )
                row[4].bonus = min(5_000_000, before + own) - min(5_000_000, before)
