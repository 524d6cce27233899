"""Selection of the refs to extract, and of the default branch.

Add: rules about refs. Keep out: fetching them (`remote.clone`) and walking from them (`commit_graph`).
"""

import logging
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Literal

import pygit2
from pygit2.enums import ObjectType

from ingest.errors import EmptyRepository, LimitExceeded, NoDefaultBranch, Permanent
from ingest.git.limits import DEFAULT_LIMITS, Limits
from ingest.git.objects.commit_graph import read_commit
from ingest.git.objects.repository import is_ancestor

Kind = Literal["branch", "remote_branch", "tag", "review"]

HEADS, ORIGIN, TAGS = "refs/heads/", "refs/remotes/origin/", "refs/tags/"
REVIEWS = "refs/eas/review/"
"""Heads of merged pull requests in our clones (`remote.clone`), by the number of the pull request."""
UPSTREAM = "refs/eas/upstream/"
"""Branches of the parent of a fork in our clones (`remote.clone`), of which nothing is extracted (`upstream`)."""
# Stash, notes and other remotes hold no delivered work.
KINDS: tuple[tuple[str, Kind], ...] = (
    (HEADS, "branch"), (ORIGIN, "remote_branch"), (TAGS, "tag"), (REVIEWS, "review"),
)  # fmt: skip
USUAL_NAMES = ("main", "master")
MAX_NEAR = 3
"""Branches that the refusal of an unknown one names."""

_TAG = re.compile(rb"object ([0-9a-f]{40})\n")
_MAX_TAG_DEPTH = 100
"""Tags of tags that are followed; Git itself makes one, and people a few."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Ref:
    """A ref peeled to its commit. Bytes of `name` that are not UTF-8 are written `\\xNN`."""

    name: str
    kind: Kind
    head_sha: str
    is_default: bool


def extracted_refs(
    repository: pygit2.Repository, chosen: str | None = None, limits: Limits = DEFAULT_LIMITS
) -> list[Ref]:
    """Heads, tags, origin's branches and heads of pull requests by name; exactly one is the default.

    The short name `chosen` selects the default, if given. A detached checkout without any branch counts as a branch
    `HEAD`. Tags of trees and blobs are left out. Raises EmptyRepository, NoDefaultBranch and LimitExceeded.
    """
    heads, broken = _heads(repository, limits)
    default = _default_ref(repository, heads, broken, chosen)
    refs = []
    for name in sorted(heads.keys() - {"HEAD"} | {default}):
        kind: Kind = next((kind for prefix, kind in KINDS if name.startswith(prefix)), "branch")
        readable = os.fsencode(name).decode("utf-8", "backslashreplace")
        refs.append(Ref(readable, kind, heads[name], name == default))
    return refs


def branches(refs: Iterable[Ref]) -> dict[str, str]:
    """Commit of every branch by its short name. Of one with two, it is that of the default, else that of origin."""
    found: dict[str, str] = {}
    for ref in sorted(refs, key=lambda ref: ref.is_default):
        if ref.kind in ("branch", "remote_branch") and ref.name != "HEAD":
            found[_short(ref.name)] = ref.head_sha
    return found


def default_branch(
    repository: pygit2.Repository, chosen: str | None = None, limits: Limits = DEFAULT_LIMITS
) -> str:
    """Short name of the default branch, `HEAD` for a detached checkout without branches.

    The order is: the `chosen` branch, origin's HEAD (in a bare repository its own HEAD), main or master, HEAD, the
    only branch. Raises EmptyRepository, NoDefaultBranch and LimitExceeded.
    """
    return _short(_default_ref(repository, *_heads(repository, limits), chosen))


def _heads(repository: pygit2.Repository, limits: Limits) -> tuple[dict[str, str], set[str]]:
    """Commit of every ref that can be extracted (and of a detached HEAD), and the refs without a readable commit.

    Names are decoded as file names are (surrogate escapes), so that libgit2 finds them again.
    """
    heads: dict[str, str] = {}
    broken: set[str] = set()
    names = [os.fsdecode(raw) for raw in repository.raw_listall_references()]
    names += ["HEAD"] if repository.head_is_detached else []
    names = [
        name
        for name in names
        if name.startswith((HEADS, ORIGIN, TAGS, REVIEWS, "HEAD")) and name != f"{ORIGIN}HEAD"
    ]
    limits.check_refs(len(names))
    for name in names:
        try:
            head = peeled(repository, name, limits)
        except LimitExceeded:
            raise
        except (KeyError, ValueError, pygit2.GitError, Permanent) as error:
            logger.warning("%s: %r leads to no readable commit: %s", repository.path, name, error)
            broken.add(name)
            continue
        if head is not None:
            heads[name] = head
    return heads, broken


def peeled(repository: pygit2.Repository, name: str, limits: Limits) -> str | None:
    """The commit that a ref leads to; None for a tag of a tree or blob.

    libgit2 peels refs as well, but it refuses commits and tags whose author line is malformed, which Git reads.
    Raises KeyError, ValueError, pygit2.GitError and Permanent for objects that cannot be read.
    """
    sha = str(repository.lookup_reference(name).resolve().target)
    for _ in range(_MAX_TAG_DEPTH):
        kind, size = repository.odb.read_header(sha)
        if kind in (ObjectType.COMMIT, ObjectType.TAG):
            limits.check_commit(sha, size)
        if kind == ObjectType.COMMIT:
            return read_commit(repository, sha, verify_hashes=False, limits=limits).sha
        tagged = _TAG.match(repository.odb.read(sha)[1]) if kind == ObjectType.TAG else None
        if tagged is None:
            return None
        sha = tagged[1].decode()
    return None


def _default_ref(
    repository: pygit2.Repository, heads: dict[str, str], broken: set[str], chosen: str | None
) -> str:
    if not heads and not broken:
        raise EmptyRepository(
            f"{repository.path} has no commit on any branch: commit or push something first."
        )
    for name in [chosen] if chosen is not None else _candidates(repository, heads):
        if lost := broken & {f"{HEADS}{name}", f"{ORIGIN}{name}"}:
            raise NoDefaultBranch(
                f"{repository.path}: the commit of {lost.pop()} cannot be read."
                " Run `git fsck` there to see what is missing, and fetch or clone again."
            )
        if found := _published_or_local(repository, heads, name):
            return found
    if chosen is not None:
        raise NoDefaultBranch(
            f"{repository.path} has no branch {chosen!r}, the chosen default branch: choose another one"
            f"{_near(chosen, heads)}."
        )
    if "HEAD" in heads:
        return "HEAD"
    raise NoDefaultBranch(
        f"{repository.path} has branches or tags, but its default branch is unknown."
        " Run `git remote set-head origin --auto`, or `git symbolic-ref HEAD refs/heads/<branch>`."
    )


def _near(chosen: str, heads: Iterable[str]) -> str:
    names = {_short(name) for name in heads if name.startswith((HEADS, ORIGIN))}
    near = get_close_matches(chosen, sorted(names), MAX_NEAR) or [
        name for name in USUAL_NAMES if name in names
    ]
    return f", such as {' or '.join(near)}" if near else ""


def _candidates(repository: pygit2.Repository, heads: dict[str, str]) -> list[str]:
    """Short names of candidates, the most reliable first."""
    own = _target(repository, "HEAD")
    names = [_target(repository, f"{ORIGIN}HEAD"), *USUAL_NAMES, own]
    if not _has_work_tree(repository):
        names.insert(0, own)  # a bare repository has no checkout, so its HEAD is the host's default
    branches = {_short(name) for name in heads if name.startswith((HEADS, ORIGIN))}
    return [name for name in names if name] + (list(branches) if len(branches) == 1 else [])


def _target(repository: pygit2.Repository, name: str) -> str | None:
    """Short name of the branch that a symbolic ref names, even where that branch does not exist."""
    try:
        target = repository.lookup_reference(name).target
    except (KeyError, pygit2.GitError):
        return None
    return _short(target) if isinstance(target, str) else None


def _has_work_tree(repository: pygit2.Repository) -> bool:
    # Without a config file a bare repository looks like a checkout to libgit2.
    return not repository.is_bare and (
        Path(repository.path).name == ".git" or "core.worktree" in repository.config
    )


def _published_or_local(repository: pygit2.Repository, heads: dict[str, str], name: str) -> str | None:
    """The ref of a branch that exists locally, at origin or both: the newer one, or origin's where they diverged."""
    local, published = f"{HEADS}{name}", f"{ORIGIN}{name}"
    if local in heads and published in heads:
        mine, theirs = heads[local], heads[published]
        return local if mine == theirs or is_ancestor(repository, theirs, mine) else published
    return next((ref for ref in (local, published) if ref in heads), None)


def _short(name: str) -> str:
    return name.removeprefix(HEADS).removeprefix(ORIGIN)
