"""What stored facts rest on, and whether a run would find anything else.

Add: whatever facts depend on beyond the commits themselves. Keep out: what is done about a difference (`extract`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence

import pygit2

from ingest.git.classify import checkpoint
from ingest.git.objects.commit_graph import shallow_commits
from ingest.git.objects.contents import CORRUPT, MISSING, is_readable
from ingest.git.objects.refs import Ref
from ingest.git.repository_source import RepositorySource
from ingest.git.rows.writer import EXTRACTOR_VERSION
from ingest.lake import Source, SourceState
from ingest.schemas.git import TABLES

_MAX_OBJECTS = 10_000
"""Objects looked at: a partial clone may lack hundreds of thousands, and they come back many at a time."""


def validity_key(source: RepositorySource, repo: pygit2.Repository) -> list[str]:
    """What every fact depends on: when any of it changes, all of them are made anew."""
    boundary = ",".join(sorted(shallow_commits(repo)))
    return [
        EXTRACTOR_VERSION,
        checkpoint.VERSION,
        source.default_branch,
        address_of(source) or "",
        _digest(boundary) if boundary else "",
    ]


def fingerprint(source: RepositorySource, refs: Sequence[Ref]) -> str:
    """Stands for all that a run rewrites even where there are no new commits."""
    about = [source.name, source.origin, source.is_shallow, source.is_partial, sorted(TABLES)]
    return _digest(json.dumps([about, [[r.name, r.kind, r.head_sha, r.is_default] for r in refs]]))


def address_of(source: RepositorySource) -> str | None:
    """The normalized address of a remote; None for a repository that only has a path."""
    return None if source.origin.startswith("/") else source.origin


def is_valid(state: SourceState, basis: list[str], target: Source, repo: pygit2.Repository) -> bool:
    """Whether the stored facts may stay: their basis is the same, and what was not read still cannot be.

    A blob fetched into a partial clone later, or a damaged object that was restored, shows in no ref.
    """
    if not state.batch:
        return True
    if state.extra.get("basis") != basis:
        return False
    has_problems = state.rows.get("problems", 0) > 0
    return not has_problems or repaired(unread_objects(target), repo) == state.extra.get("repaired", "")


def unread_objects(source: Source) -> list[str]:
    """Ids of the objects that the stored facts do without."""
    rows = source.read("problems", ["object_sha", "reason"]).to_pylist()
    return [row["object_sha"] for row in rows if row["object_sha"] and row["reason"] in (MISSING, CORRUPT)]


def repaired(shas: Iterable[str], repo: pygit2.Repository) -> str:
    """Stands for those of the objects that can be read now; empty where none can."""
    odb = repo.odb
    found = [sha for sha in sorted(set(shas))[:_MAX_OBJECTS] if is_readable(odb, sha)]
    return _digest(",".join(found)) if found else ""


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()
