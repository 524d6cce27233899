"""Runs Git as a reference, independent of the settings of the machine and the repository.

Add: a query that is the reference of a benchmark or test. Keep out: code of the product.
"""

import os
import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

SETTINGS = {
    # Git would apply the present attributes of a checkout to its whole history.
    "core.bare": "true",
    "core.attributesFile": os.devnull,
    "core.quotePath": "false",
    "diff.algorithm": "myers",
    "diff.indentHeuristic": "true",
    "diff.renameLimit": "1000",
    "log.showRoot": "true",
    "log.showSignature": "false",
    "blame.ignoreRevsFile": "",
}
KINDS = {"refs/heads/": "branch", "refs/remotes/origin/": "remote_branch", "refs/tags/": "tag"}
_HUNK = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+", re.MULTILINE)
_BLAMED = re.compile(rb"^([0-9a-f]{40}) \d+ \d+", re.MULTILINE)
_EMPTY_BLOB = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
_NO_BLOB = "0" * 40

Range = tuple[int, int]
"""First line and number of lines."""


@dataclass(frozen=True)
class Ref:
    """A ref; `commit` is what it peels to, `target` the branch that it stands for when it is symbolic."""

    name: str
    kind: str
    object_sha: str
    commit: str
    target: str


@dataclass(frozen=True)
class NumstatRow:
    """One line of `git log --numstat -M`; None stands for Git's dash (binary)."""

    commit: str
    previous_path: str | None
    path: str
    added: int | None
    deleted: int | None


@dataclass(frozen=True)
class ReferenceGit:
    """Read-only queries of the repository in `git_dir`. Every method may raise CalledProcessError."""

    git_dir: Path

    def command(self, *arguments: str) -> list[str]:
        settings = [part for name, value in SETTINGS.items() for part in ("-c", f"{name}={value}")]
        return ["git", f"--git-dir={self.git_dir}", *settings, *arguments]

    def output(self, *arguments: str, stdin: str = "") -> bytes:
        done = subprocess.run(
            self.command(*arguments), check=True, capture_output=True, input=stdin.encode(), env=environment()
        )
        return done.stdout

    @cached_property
    def refs(self) -> list[Ref]:
        """Heads, tags and origin's branches that lead to a commit."""
        form = "%(refname)%09%(objectname)%09%(objecttype)%09%(*objectname)%09%(*objecttype)%09%(symref)"
        listing = self.output("for-each-ref", f"--format={form}", *(prefix.rstrip("/") for prefix in KINDS))
        found = []
        for line in _text(listing).splitlines():
            name, sha, kind, peeled, peeled_kind, target = line.split("\t")
            commit = sha if kind == "commit" else peeled if peeled_kind == "commit" else None
            if commit is not None:
                prefix = next(prefix for prefix in KINDS if name.startswith(prefix))
                found.append(Ref(name, KINDS[prefix], sha, commit, target))
        return found

    @cached_property
    def heads(self) -> list[str]:
        return sorted({ref.commit for ref in self.refs})

    def default_head(self, branch: str) -> str:
        """Commit of a branch by its short name, local or at origin."""
        names = [f"refs/heads/{branch}", f"refs/remotes/origin/{branch}"]
        return next(ref.commit for name in names for ref in self.refs if ref.name == name)

    def graph(self, heads: Iterable[str]) -> dict[str, list[str]]:
        """Parents of every reachable commit, children first."""
        listing = self.output("rev-list", "--topo-order", "--parents", "--stdin", stdin=_lines(heads))
        rows = (line.split() for line in listing.decode().splitlines())
        return {sha: parents for sha, *parents in rows}

    def reachable(self, heads: Iterable[str]) -> set[str]:
        return set(self.output("rev-list", "--stdin", stdin=_lines(heads)).decode().split())

    def subjects(self, commits: Iterable[str]) -> dict[str, str]:
        """First lines of messages."""
        listing = self.output("log", "--no-walk", "--stdin", "-z", "--format=%H %s", stdin=_lines(commits))
        rows = (_text(row).partition(" ") for row in listing.split(b"\0") if row)
        return {sha: subject for sha, _, subject in rows}

    def numstat(self) -> Iterator[NumstatRow]:
        """`git log --numstat -M` over every head; merges have no rows there."""
        listing = self.output(
            *("log", "--stdin", "--no-merges", "--numstat", "-M", "-z", "--format=%x01%H"),
            *("--no-textconv", "--no-ext-diff"),
            stdin=_lines(self.heads),
        )
        commit, fields = "", iter(listing.split(b"\0"))
        for item in fields:
            if item.startswith(b"\x01"):
                commit = item[1:41].decode()
            elif item.strip(b"\n"):
                added, deleted, path = item.lstrip(b"\n").split(b"\t", 2)
                previous = None if path else _path(next(fields))
                name = _path(path or next(fields))
                yield NumstatRow(commit, previous, name, _count(added), _count(deleted))

    def merge_paths(self) -> set[tuple[str, str]]:
        """(merge, path) for every file of a merge that differs from all of its parents."""
        listing = self.output(
            *("log", "--stdin", "--merges", "-c", "--no-renames", "--name-only", "-z", "--format=%x01%H"),
            stdin=_lines(self.heads),
        )
        found, commit = set(), ""
        for item in listing.split(b"\0"):
            if item.startswith(b"\x01"):
                commit = item[1:41].decode()
            elif item.strip(b"\n"):
                found.add((commit, _path(item.lstrip(b"\n"))))
        return found

    def removals(self, before: str, after: str) -> dict[str, tuple[str, str]]:
        """Old path → (old blob, new blob) of files changed, renamed or deleted between two commits."""
        listing = self.output("diff-tree", "-r", "-M", "--raw", "-z", before, after)
        found, fields = {}, iter(listing.split(b"\0"))
        for item in fields:
            if not item:
                continue
            old_mode, new_mode, old, new, status = item[1:].decode().split(" ")
            path = _path(next(fields))
            if status[0] in "RC":
                next(fields)
            if "160000" not in (old_mode, new_mode) and status[0] in "MRD":
                found[path] = (old, new)
        return found

    def removed_ranges(self, old_blob: str, new_blob: str) -> list[Range]:
        """Ranges of the old blob that Git's diff removes."""
        new_blob = _EMPTY_BLOB if new_blob == _NO_BLOB else new_blob
        patch = self.output("diff", "-U0", "--no-textconv", "--no-ext-diff", old_blob, new_blob)
        ranges = [(int(start), int(count or 1)) for start, count in _HUNK.findall(patch)]
        return [(start, count) for start, count in ranges if count]

    def blame(self, commit: str, path: str, ranges: Iterable[Range], parents: Path) -> Counter[str]:
        """Births of the lines in the ranges of a file; `parents` is a file of overridden parents."""
        limits = [f"-L{start},+{count}" for start, count in ranges]
        options = ["--porcelain", "-S", str(parents)]
        listing = self.output("blame", *options, *limits, commit, "--", path)
        content_removed = re.sub(rb"^\t.*\n", b"", listing, flags=re.MULTILINE)
        return Counter(sha.decode() for sha in _BLAMED.findall(content_removed))


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The process environment without the machine's Git settings."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    kept |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_NO_REPLACE_OBJECTS": "1"}
    return kept | {"GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"} | dict(extra or {})


def _lines(items: Iterable[str]) -> str:
    return "".join(f"{item}\n" for item in items)


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")


def _path(raw: bytes) -> str:
    """As the raw tables spell paths: bytes that are no UTF-8 stand as `\\xNN`."""
    return raw.decode("utf-8", "backslashreplace")


def _count(field: bytes) -> int | None:
    return None if field == b"-" else int(field)
