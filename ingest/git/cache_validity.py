"""Validity of stored facts: whether they may stay, and whether a run would find anything new.

Add: everything that facts depend on beyond the commits themselves. Keep out: reactions to a difference (`extract`).
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterable, Sequence

import pygit2

from ingest.git.classify import checkpoint
from ingest.git.mainline_clock import has_come
from ingest.git.objects.commit_graph import shallow_commits
from ingest.git.objects.contents import CORRUPT, MALFORMED, MISSING, is_readable
from ingest.git.objects.refs import Ref
from ingest.git.objects.upstream import upstream_heads
from ingest.git.repository_source import RepositorySource
from ingest.git.rows.commit_rows import EXTRACTOR_VERSION
from ingest.lake import Source, SourceState
from ingest.lake.manifest import schema_version
from ingest.schemas.git import TABLES

_MAX_OBJECTS = 10_000
"""Maximum of objects checked: a partial clone may lack hundreds of thousands, and many become readable at once."""


def validity_key(source: RepositorySource, repo: pygit2.Repository) -> list[str]:
    """The values that every fact depends on. When one changes, all facts are extracted again."""
    boundary = ",".join(sorted(shallow_commits(repo)))
    return [
        EXTRACTOR_VERSION,
        checkpoint.VERSION,
        source.default_branch,
        address_of(source) or "",
        _digest(boundary) if boundary else "",
    ]


def fingerprint(source: RepositorySource, refs: Sequence[Ref], repo: pygit2.Repository) -> str:
    """Fingerprint of everything that a run rewrites even without new commits. Raises LimitExceeded."""
    about = [source.name, source.origin, source.is_shallow, source.is_partial, sorted(TABLES)]
    return _digest(
        json.dumps(
            [
                about,
                [[r.name, r.kind, r.head_sha, r.is_default] for r in refs],
                upstream_heads(repo, source.limits),
            ]
        )
    )


def is_seen(state: SourceState, fingerprint: str) -> bool:
    """Whether a run would write what is stored: everything is as it was, and the times hold."""
    return state.extra.get("seen") == fingerprint and times_hold(state)


def times_hold(state: SourceState) -> bool:
    """Whether no time that was ahead of the clock of the last run has come.

    A state of an earlier release does not say which times were ahead; where any was impossible, a run looks again.
    """
    if "ahead" not in state.extra:
        return not state.extra.get("misdated")
    return not has_come(state.extra["ahead"], int(time.time()))


def address_of(source: RepositorySource) -> str | None:
    """The normalized URL of the remote; None for a repository that has only a path."""
    return None if source.origin.startswith("/") else source.origin


def is_valid(state: SourceState, validity: list[str], target: Source, repo: pygit2.Repository) -> bool:
    """Whether the stored facts may stay: key and columns are the same, and unreadable objects are still unreadable.

    Refs do not show a blob that was fetched later into a partial clone, or a damaged object that was restored.
    """
    if not state.batch:
        return True
    if state.extra.get("basis") != validity:  # its name in stored states
        return False
    if state.schema and state.schema != schema_version(target.noun):
        return False
    has_problems = state.rows.get("problems", 0) > 0
    return not has_problems or repaired(unread_objects(target), repo) == state.extra.get("repaired", "")


def unread_objects(source: Source) -> list[str]:
    """Ids of the objects that no run could read."""
    rows = source.read("problems", ["object_sha", "reason"]).to_pylist()
    return [row["object_sha"] for row in rows if row["object_sha"] and row["reason"] in (MISSING, CORRUPT)]


def skipped_objects(source: Source) -> int:
    """Number of stored problems, without malformed commits, whose facts are complete."""
    return sum(reason != MALFORMED for reason in source.read("problems", ["reason"])["reason"].to_pylist())


def repaired(shas: Iterable[str], repo: pygit2.Repository) -> str:
    """Fingerprint of the objects that can be read now; empty where none can."""
    odb = repo.odb
    found = [sha for sha in sorted(set(shas))[:_MAX_OBJECTS] if is_readable(odb, sha)]
    return _digest(",".join(found)) if found else ""


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()
