"""Git histories for tests, written as raw objects.

Add: shapes of history that a test needs (merges, rewrites, odd bytes). Keep out: anything that the product
computes; these objects are read by `git` itself, which is the oracle.

Objects are written byte by byte, without a Git process per commit: fast, and nothing validates them, so
names, messages and times may be as broken as they are in the wild.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TypeVar

REGULAR, EXECUTABLE, SYMLINK, SUBMODULE = b"100644", b"100755", b"120000", b"160000"
ADA = "Ada Lovelace <ada@example.org>"
GRACE = "Grace Hopper <grace@example.org>"
START = 1_704_099_600  # 2024-01-01T09:00:00Z, a Monday
HOUR = 3600

Text = str | bytes
Entry = tuple[bytes, str]  # mode, object id
Tree = dict[bytes, Entry]


@dataclass(frozen=True)
class Content:
    """A file whose mode is not the regular one: `Content(b"target", SYMLINK)`.

    For a submodule the data is the 40 characters of the commit that it points at.
    """

    data: Text
    mode: bytes = REGULAR


Change = Text | Content | None  # None deletes the file
# A type variable, because a mapping whose names are all `str` is no `Mapping[Text, …]`.
Name = TypeVar("Name", bound=Text)


@dataclass(frozen=True)
class Commit:
    """A commit that the builder wrote."""

    parents: tuple[str, ...]
    tree: Tree


class GitRepository:
    """A repository under construction; every method that makes a commit returns its id.

    Times advance by an hour per commit from Monday 2024-01-01 09:00 UTC unless `at` is given (seconds since
    1970 or a datetime). People are `Name <address>`; text may be bytes where it is not UTF-8.
    """

    def __init__(self, path: Path, *, default_branch: str = "main", bare: bool = False) -> None:
        self.path = path
        self.default_branch = default_branch
        options = ["--bare"] if bare else []
        subprocess.run(["git", "init", "-q", "-b", default_branch, *options, str(path)], check=True)
        self.git_dir = path if bare else path / ".git"
        self.commits: dict[str, Commit] = {}
        self.heads: dict[str, str] = {}
        self.clock = START

    def commit(
        self,
        files: Mapping[Name, Change] | None = None,
        message: Text = "Change",
        *,
        branch: str | None = None,
        author: Text = ADA,
        committer: Text | None = None,
        at: int | datetime | None = None,
        committed_at: int | datetime | None = None,
        offset: Text = "+0000",
        committer_offset: Text | None = None,
        parents: Iterable[str] | None = None,
        headers: bytes = b"",
    ) -> str:
        """Writes files over the branch's tree (None deletes) and advances the branch.

        `parents` replaces the branch's head as parents (`[]` makes a root); the tree starts from the first.
        `headers` are raw header lines, for example `b"encoding ISO-8859-1\\n"`.
        """
        branch = branch or self.default_branch
        if parents is None:
            parents = [self.heads[branch]] if branch in self.heads else []
        parents = tuple(parents)
        tree = dict(self.commits[parents[0]].tree) if parents else {}
        for path, content in (files or {}).items():
            self._apply(tree, _bytes(path), content)
        authored = _seconds(self._tick() if at is None else at)
        committed = authored if committed_at is None else _seconds(committed_at)
        lines = [b"tree " + self._write_tree(tree).encode()]
        lines += [b"parent " + parent.encode() for parent in parents]
        lines.append(b"author %s %d %s" % (_bytes(author), authored, _bytes(offset)))
        zone = _bytes(offset if committer_offset is None else committer_offset)
        lines.append(b"committer %s %d %s" % (_bytes(committer or author), committed, zone))
        text = _bytes(message)
        body = b"\n".join(lines) + b"\n" + headers + b"\n" + text + (b"" if text.endswith(b"\n") else b"\n")
        sha = self._write(b"commit", body)
        self.commits[sha] = Commit(parents, tree)
        self._point(f"refs/heads/{branch}", sha)
        self.heads[branch] = sha
        return sha

    def merge(
        self,
        *others: str,
        into: str | None = None,
        files: Mapping[Name, Change] | None = None,
        message: Text | None = None,
        author: Text = ADA,
        at: int | datetime | None = None,
    ) -> str:
        """Merges branches or commits (two or more make an octopus); `files` are the merge's own changes.

        Raises ValueError where both sides changed a line and `files` does not settle it.
        """
        into = into or self.default_branch
        heads = [self.heads[into], *(self.heads.get(other, other) for other in others)]
        settled = {_bytes(path) for path in files or {}}
        merged = dict(self.commits[heads[0]].tree)
        for head in heads[1:]:
            base = self.merge_base(heads[0], head)
            merged = self._merged(self.commits[base].tree if base else {}, merged, head, settled)
        names = ", ".join(f"'{other}'" for other in others)
        text = message or f"Merge branch {names}" + ("" if into == self.default_branch else f" into {into}")
        changes: dict[Text, Change] = dict.fromkeys(self.commits[heads[0]].tree)
        changes |= {path: self._content(entry) for path, entry in merged.items()}
        changes |= {_bytes(path): content for path, content in (files or {}).items()}
        return self.commit(changes, text, branch=into, parents=heads, author=author, at=at)

    def rename(
        self,
        moves: Mapping[str, str],
        message: Text = "Rename",
        *,
        branch: str | None = None,
        author: Text = ADA,
    ) -> str:
        """Moves files without changing them."""
        tree = self.commits[self.heads[branch or self.default_branch]].tree
        changes: dict[Text, Change] = dict.fromkeys(moves)
        changes |= {new: self._content(tree[old.encode()]) for old, new in moves.items()}
        return self.commit(changes, message, branch=branch, author=author)

    def branch(self, name: str, at: str | None = None) -> None:
        """Creates a branch at a branch or commit (the default branch's head)."""
        self.reset(name, at or self.default_branch)

    def reset(self, branch: str, to: str) -> None:
        """Points a branch elsewhere, as a forced push does; what it held before becomes unreachable."""
        self.heads[branch] = self.heads.get(to, to)
        self._point(f"refs/heads/{branch}", self.heads[branch])

    def delete(self, branch: str) -> None:
        """Removes a branch; its commits stay as objects."""
        del self.heads[branch]
        (self.git_dir / "refs" / "heads" / branch).unlink()

    def tag(self, name: str, at: str | None = None, *, message: Text | None = None) -> None:
        """A tag on a branch or commit; with a message it is an annotated one."""
        sha = self.heads.get(at or self.default_branch, at or "")
        if message is not None:
            header = f"object {sha}\ntype commit\ntag {name}\ntagger {ADA} {self._tick()} +0000\n\n"
            sha = self._write(b"tag", header.encode() + _bytes(message) + b"\n")
        self._point(f"refs/tags/{name}", sha)

    def read(self, path: str, at: str | None = None) -> bytes:
        """Content of a file on a branch or at a commit."""
        sha = self.heads.get(at or self.default_branch, at or "")
        return _bytes(self._content(self.commits[sha].tree[path.encode()]).data)

    def merge_base(self, one: str, other: str) -> str | None:
        """A best common ancestor, None for unrelated histories (any of them for a criss-cross)."""
        common = self._ancestors(one) & self._ancestors(other)
        covered: set[str] = set()
        for sha in common:
            covered |= self._ancestors(sha) - {sha}
        return min(common - covered, default=None)

    def git(self, *arguments: str, text: Text = b"") -> str:
        """Output of a Git command in the repository; raises CalledProcessError when it fails."""
        command = ["git", "-C", str(self.path), *arguments]
        done = subprocess.run(command, check=True, capture_output=True, input=_bytes(text))
        return done.stdout.decode("utf-8", "replace")

    def repack(self) -> None:
        """One pack instead of loose objects: what a clone looks like, and much faster to read."""
        self.git("repack", "-q", "-a", "-d")

    def checkout(self) -> None:
        """Fills the work tree from the default branch (the builder only writes objects and refs)."""
        self.git("reset", "-q", "--hard", self.default_branch)

    def _tick(self) -> int:
        now, self.clock = self.clock, self.clock + HOUR
        return now

    def _ancestors(self, sha: str) -> set[str]:
        seen, queue = {sha}, [sha]
        while queue:
            new = set(self.commits[queue.pop()].parents) - seen
            seen |= new
            queue += new
        return seen

    def _apply(self, tree: Tree, path: bytes, content: Text | Content | None) -> None:
        if content is None:
            tree.pop(path, None)
            return
        content = content if isinstance(content, Content) else Content(content)
        data = _bytes(content.data)
        is_submodule = content.mode == SUBMODULE
        tree[path] = (content.mode, data.decode() if is_submodule else self._write(b"blob", data))

    def _content(self, entry: Entry) -> Content:
        mode, sha = entry
        if mode == SUBMODULE:
            return Content(sha, mode)
        raw = zlib.decompress(self._object(sha).read_bytes()) if self._object(sha).exists() else None
        if raw is None:  # packed meanwhile
            command = ["git", "-C", str(self.path), "cat-file", "blob", sha]
            return Content(subprocess.run(command, check=True, capture_output=True).stdout, mode)
        return Content(raw[raw.index(b"\0") + 1 :], mode)

    def _merged(self, base: Tree, ours: Tree, head: str, settled: set[bytes]) -> Tree:
        theirs, merged = self.commits[head].tree, dict(ours)
        for path in theirs.keys() | base.keys():
            before, here, there = base.get(path), ours.get(path), theirs.get(path)
            if there in (before, here):
                continue
            if here != before and path not in settled:
                if before is None or here is None or there is None:
                    raise ValueError(f"both sides changed {path!r}: pass the result in files")
                there = self._merge_lines(path, before, here, there)
            if there is None:
                merged.pop(path, None)
            else:
                merged[path] = there
        return merged

    def _merge_lines(self, path: bytes, *sides: Entry) -> Entry:
        files = [self.git_dir / f"merge-{name}" for name in ("base", "ours", "theirs")]
        for file, side in zip(files, sides, strict=True):
            file.write_bytes(_bytes(self._content(side).data))
        base, ours, theirs = map(str, files)
        command = ["git", "merge-file", "-p", "-q", ours, base, theirs]
        done = subprocess.run(command, capture_output=True)
        if done.returncode:
            raise ValueError(f"both sides changed the same lines of {path!r}: pass the result in files")
        return sides[1][0], self._write(b"blob", done.stdout)

    def _write_tree(self, tree: Tree) -> str:
        entries: dict[bytes, tuple[bytes, str]] = {}
        folders: dict[bytes, Tree] = {}
        for path, entry in tree.items():
            first, _, rest = path.partition(b"/")
            if rest:
                folders.setdefault(first, {})[rest] = entry
            else:
                entries[first] = entry
        entries |= {name: (b"40000", self._write_tree(folder)) for name, folder in folders.items()}
        # Git sorts a folder as if its name ended with a slash.
        ordered = sorted(entries, key=lambda name: name + (b"/" if name in folders else b""))
        rows = [(entries[name][0], name, bytes.fromhex(entries[name][1])) for name in ordered]
        return self._write(b"tree", b"".join(b"%s %s\0%s" % row for row in rows))

    def _object(self, sha: str) -> Path:
        return self.git_dir / "objects" / sha[:2] / sha[2:]

    def _write(self, kind: bytes, body: bytes) -> str:
        raw = b"%s %d\0" % (kind, len(body)) + body
        sha = hashlib.sha1(raw).hexdigest()
        file = self._object(sha)
        if not file.exists():
            file.parent.mkdir(exist_ok=True)
            file.write_bytes(zlib.compress(raw, 1))
        return sha

    def _point(self, ref: str, sha: str) -> None:
        file = self.git_dir / ref
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{sha}\n")


def _bytes(text: Text) -> bytes:
    return os.fsencode(text) if isinstance(text, str) else text


def _seconds(at: int | datetime) -> int:
    return at if isinstance(at, int) else int(at.timestamp())
