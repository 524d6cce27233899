"""The rule of imports in plain loops over all windows: bursts of commits that bring in code from elsewhere.

A window is a span of time that ends with a commit. The constants are repeated here on purpose.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from fractions import Fraction
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.dbt.naive.naive_scores import Commit, File, Scores

HOUR, DAY, FORTNIGHT = timedelta(hours=1), timedelta(days=1), timedelta(days=14)
ROLE = {"source": Fraction(1), "build": Fraction(1), "test": Fraction(1, 4), "documentation": Fraction(1, 4)}


MOVED = ("Move from Shop CVS", "Import shop code from svn.")
"""Subjects of the invented histories that say that code moved in from an older system."""


@dataclass(frozen=True)
class Limits:
    """The limits above which code is an import. The dbt variables have the same names with the prefix `import_`."""

    root_files: int = 50
    root_commits: int = 5
    root_lines: int = 2_000
    commit_lines: int = 20_000
    listed_commits: int = 10
    listed_lines: int = 500
    hour_lines: int = 6_500
    hour_files: int = 200
    hour_files_lines: int = 2_000
    day_lines: int = 12_000
    fortnight_lines: int = 20_000
    fortnight_files: int = 200
    fortnight_files_lines: int = 5_000


LIMITS = Limits()


@dataclass
class Burst:
    """The commits of one burst and the evidence for an import."""

    rule: str
    shas: list[str]
    first: str = ""
    files: int = 0
    novel: Fraction = Fraction(0)
    arrived: Fraction = Fraction(0)
    reworked: Fraction = Fraction(0)
    worked: Fraction | None = None


@dataclass
class Mass:
    """Lines and files that one commit added and changed. Windows are formed per `owner`."""

    owner: tuple[int, bool, bool]
    at: datetime
    files: int = 0
    novel: Fraction = Fraction(0)
    arrived: Fraction = Fraction(0)
    reworked: Fraction = Fraction(0)
    worked: Fraction = Fraction(0)


@dataclass
class Total:
    files: int = 0
    arrived: Fraction = Fraction(0)
    reworked: Fraction = Fraction(0)
    worked: Fraction = Fraction(0)
    pace: Fraction = Fraction(0)
    shas: list[str] = field(default_factory=list)


def bursts(
    scores: Scores, limits: Limits = LIMITS, reworked_share: Fraction = Fraction(3, 10)
) -> dict[str, Burst]:
    """The burst of every excluded commit, by SHA."""
    masses = _masses(scores)
    moved = _moved(scores, masses, limits)
    _leave_out_branches(scores, masses, limits)
    found: dict[str, Burst] = {}
    histories: dict[tuple[str, str], Burst] = {}
    foreign = _foreign_histories(scores)
    begun = _first_with_code(scores, limits.root_commits)
    for sha, mass in masses.items():
        commit = scores.commits[sha]
        left = mass.arrived - mass.reworked / reworked_share
        key = (commit.repository, commit.delivery["delivery_sha"])
        if key in foreign:
            found[sha] = histories.setdefault(key, Burst("UNRELATED_ROOT", []))
            found[sha].shas.append(sha)
        elif _is_whole_history(commit, sha in begun, limits.root_files) and left > limits.root_lines:
            found[sha] = Burst("FIRST_COMMIT", [sha])
        elif "\ngit-subtree-split: " in "\n" + commit.row["body"] or sha in moved:
            found[sha] = Burst("SUBTREE", [sha])
        elif mass.novel > limits.commit_lines:
            found[sha] = Burst("ONE_COMMIT", [sha])

    def above(total: Total, lines: int) -> bool:
        return total.arrived - total.reworked / reworked_share > max(Fraction(lines), total.pace)

    def hour(total: Total) -> bool:
        many = total.files > limits.hour_files and above(total, limits.hour_files_lines)
        return many or above(total, limits.hour_lines)

    def is_beside_work(total: Total) -> bool:
        return total.worked >= Fraction(2, 10) * (total.worked + total.arrived)

    def day(total: Total) -> bool:
        return above(total, limits.day_lines) and not is_beside_work(total)

    def fortnight(total: Total) -> bool:
        many = total.files > limits.fortnight_files and above(total, limits.fortnight_files_lines)
        return (many or above(total, limits.fortnight_lines)) and not is_beside_work(total)

    before = {sha: mass for sha, mass in masses.items() if sha not in found}
    found |= _windows("HOUR", HOUR, hour, before)
    rest = {sha: mass for sha, mass in before.items() if sha not in found}
    of_days = _windows("DAY", DAY, day, rest)
    of_fortnights = _windows("FORTNIGHT", FORTNIGHT, fortnight, rest, of_days)
    found |= of_days | of_fortnights
    for burst in {id(one): one for one in found.values()}.values():
        _tell(burst, masses, before if burst.rule == "HOUR" else rest)
    return found


def _moved(scores: Scores, masses: dict[str, Mass], limits: Limits) -> set[str]:
    return {
        sha
        for sha, mass in masses.items()
        if scores.commits[sha].row["subject"] in MOVED and mass.novel > limits.hour_files_lines
    }


def _leave_out_branches(scores: Scores, masses: dict[str, Mass], limits: Limits) -> None:
    """Nothing arrived at once in the squash of a branch with many commits of a usual size."""
    for sha, mass in masses.items():
        listed = listed_commits(scores.commits[sha].row)
        if listed >= limits.listed_commits and mass.novel <= listed * limits.listed_lines:
            mass.files, mass.novel, mass.arrived, mass.reworked = 0, Fraction(0), Fraction(0), Fraction(0)


def listed_commits(row: dict[str, Any]) -> int:
    """The commits of a branch that a squash lists, by the forms of hosts and of Git."""
    if "Squashed commit of the following:" in row["subject"] + row["body"]:
        return sum(line.startswith("Author: ") for line in row["body"].split("\n"))
    if not row["subject"].endswith(")"):
        return 0
    return sum(part.startswith("* ") for part in row["body"].split("\n\n"))


def first_code(scores: Scores, limits: Limits = LIMITS) -> set[str]:
    """The commits that brought the first code of a history, and those of merged histories of others."""
    foreign = _foreign_histories(scores)
    begun = _first_with_code(scores, limits.root_commits)
    return {
        sha
        for sha, commit in scores.commits.items()
        if (commit.repository, commit.delivery["delivery_sha"]) in foreign
        or _is_whole_history(commit, sha in begun, limits.root_files)
    }


def _is_whole_history(commit: Commit, has_first_code: bool, limit: int) -> bool:
    """Whether a root has many files that can count, or a commit with the first code many new files of code."""
    real = [file for _, file in _real(commit)]
    code = [
        file for file in real if file.role in ("source", "test") and file.own_status == "A" and file.added
    ]
    return (not commit.row["parent_shas"] and len(real) > limit) or (has_first_code and len(code) > limit)


def _first_with_code(scores: Scores, commits: int) -> set[str]:
    """The first commit of each repository with source or tests, where it is among the first commits."""
    orders: dict[str, list[str]] = defaultdict(list)
    for delivery in sorted(scores.tables["deliveries"], key=lambda row: row["position"]):
        orders[delivery["repository_id"]] += delivery["commit_shas"]
    found = set()
    for order in orders.values():
        for sha in order[:commits]:
            if any(file.role in ("source", "test") for _, file in _real(scores.commits[sha])):
                found.add(sha)
                break
    return found


def _foreign_histories(scores: Scores) -> set[tuple[str, str]]:
    """The merged histories whose people wrote less than half as much in the main one, and less than half of it."""
    wrote: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    merged = {d["delivery_sha"] for d in scores.tables["deliveries"] if d["is_unrelated_root"]}
    rows = {(c["repository_id"], c["commit_sha"]): c for c in scores.tables["commits"]}
    for delivery in scores.tables["deliveries"]:
        part = delivery["delivery_sha"] if delivery["delivery_sha"] in merged else ""
        for sha in delivery["commit_shas"]:
            row = rows[delivery["repository_id"], sha]
            if not row["is_merge"]:
                wrote[delivery["repository_id"]][part, row["author_name"].lower()] += 1
    found = set()
    for repository, counts in wrote.items():
        for part in {part for part, _ in counts} - {""}:
            inside = {who: n for (one, who), n in counts.items() if one == part}
            main = Counter({who: n for (one, who), n in counts.items() if not one})
            both = sum(min(n, main[who]) for who, n in inside.items())
            if both * 2 < min(sum(inside.values()), main.total()):
                found.add((repository, part))
    return found


def _masses(scores: Scores) -> dict[str, Mass]:
    found = {}
    later = defaultdict(list)
    people = {sha: commit for sha, commit in scores.commits.items() if not commit.is_robot}
    for commit in people.values():
        for path, file in _real(commit):
            later[commit.author, commit.repository, scores.origin(commit, path)].append(
                (commit.row["authored_at"], file)
            )
    for sha, commit in people.items():
        given, at = scores.settings[commit.repository], commit.row["authored_at"]
        mass = Mass((commit.author, given["is_excluded"], given["is_sandbox"]), at)
        for path, file in _real(commit):
            lines = file.novel * ROLE[file.role]
            mass.novel += lines
            if file.own_status != "A":
                mass.worked += lines + _gone(file) * ROLE[file.role]
            elif file.novel:
                mass.files += 1
                mass.arrived += lines
                changes = later[commit.author, commit.repository, scores.origin(commit, path)]
                changed = sum(
                    one.novel + _gone(one) for then, one in changes if HOUR <= then - at <= FORTNIGHT
                )
                if changed * 10 >= max(file.added, file.novel):
                    mass.reworked += lines
        found[sha] = mass
    return found


def _real(commit: Commit) -> Iterable[tuple[str, File]]:
    """Changes of handwritten files, without deletions."""
    for path, file in commit.files.items():
        if file.role != "lock" and not file.is_generated and file.own_status != "D":
            yield path, file


def _gone(file: File) -> int:
    return 0 if file.own_status == "A" else max(0, file.gone)


def _windows(
    rule: str,
    width: timedelta,
    is_import: Callable[[Total], bool],
    masses: dict[str, Mass],
    without: Iterable[str] = (),
) -> dict[str, Burst]:
    """The commits that add files and lie in a window that arrived as a whole; windows that share some are one burst."""
    groups: list[set[str]] = []
    paces = _paces(width, masses.values())
    for end in masses.values():
        inside = {
            sha: mass
            for sha, mass in masses.items()
            if mass.owner == end.owner and end.at - width <= mass.at <= end.at
        }  # fmt: skip
        total = Total(pace=paces.get(end.owner, Fraction(0)))
        for mass in inside.values():
            total.files += mass.files
            total.arrived += mass.arrived
            total.reworked += mass.reworked
            total.worked += mass.worked
        if is_import(total):
            group = {sha for sha, mass in inside.items() if mass.files} - set(without)
            for other in [one for one in groups if one & group]:
                groups.remove(other)
                group |= other
            if group:
                groups.append(group)
    return {sha: burst for group in groups for burst in [Burst(rule, sorted(group))] for sha in group}


def _paces(width: timedelta, masses: Iterable[Mass]) -> dict[tuple[int, bool, bool], Fraction]:
    """Novel lines in the third-busiest period in which an owner reworked three tenths of what arrived."""
    periods: dict[tuple[tuple[int, bool, bool], int], list[Mass]] = defaultdict(list)
    for mass in masses:
        periods[mass.owner, int(mass.at.timestamp() // width.total_seconds())].append(mass)
    proven = defaultdict(list)
    for (owner, _), inside in periods.items():
        arrived, reworked = sum(m.arrived for m in inside), sum(m.reworked for m in inside)
        if arrived and reworked >= Fraction(3, 10) * arrived:
            proven[owner].append(sum((m.novel for m in inside), Fraction(0)))
    return {owner: sorted(found)[-3] for owner, found in proven.items() if len(found) > 2}


def _tell(burst: Burst, masses: dict[str, Mass], beside: dict[str, Mass]) -> None:
    own = [masses[sha] for sha in burst.shas]
    burst.first = min(burst.shas, key=lambda sha: (masses[sha].at, sha))
    burst.files = sum(mass.files for mass in own)
    burst.novel = sum((mass.novel for mass in own), Fraction(0))
    burst.arrived = sum((mass.arrived for mass in own), Fraction(0))
    burst.reworked = sum((mass.reworked for mass in own), Fraction(0))
    if burst.rule in ("HOUR", "DAY", "FORTNIGHT"):
        start, end = min(mass.at for mass in own), max(mass.at for mass in own)
        burst.worked = sum(
            (m.worked for m in beside.values() if m.owner == own[0].owner and start <= m.at <= end),
            Fraction(0),
        )
