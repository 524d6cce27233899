"""The history of a fork's parent, as far as the clone has it: it shows which commits are not the fork's own.

Keep out: fetching it (`remote.clone`), refs of which commits are extracted (`refs`).
"""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Set

import pygit2

from ingest.errors import Permanent
from ingest.git.limits import DEFAULT_LIMITS, Limits
from ingest.git.objects.commit_graph import read_history
from ingest.git.objects.refs import UPSTREAM, peeled

logger = logging.getLogger(__name__)


def upstream_heads(repository: pygit2.Repository, limits: Limits = DEFAULT_LIMITS) -> list[str]:
    """Commits of the branches of the parent that can be read. Raises LimitExceeded for too many branches."""
    names = [os.fsdecode(raw) for raw in repository.raw_listall_references()]
    names = [name for name in names if name.startswith(UPSTREAM)]
    limits.check_refs(len(names))
    found = set()
    for name in names:
        with contextlib.suppress(KeyError, ValueError, pygit2.GitError, Permanent):
            found.add(peeled(repository, name, limits))
    return sorted(sha for sha in found if sha is not None)


def upstream_commits(
    repository: pygit2.Repository,
    limits: Limits = DEFAULT_LIMITS,
    *,
    verify_hashes: bool = True,
) -> Set[str]:
    """Ids of the commits that the branches of the parent reach; none if one of them cannot be read.

    Raises LimitExceeded for too many branches.
    """
    heads = upstream_heads(repository, limits)
    try:
        return read_history(repository, heads, verify_hashes=verify_hashes, limits=limits).keys()
    except Permanent as error:
        logger.warning("%s: the history of the fork's parent cannot be read: %s", repository.path, error)
        return set()
