"""The lock of an organization's warehouse: a build holds it from its first step until its publication is recorded.

While it is free, warehouse, published build and run state belong together. The kernel releases it when a process ends.
Keep out: the locks of the lake (`ingest.lake`), and what a build does.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from orchestration.deployment import Deployment

# The steps of a run take the lock that their run holds, so a thread takes each lock once.
_held: set[tuple[str, str, int]] = set()


@contextmanager
def held(
    deployment: Deployment, organization_id: str, on_wait: Callable[[], None] | None = None
) -> Iterator[bool]:
    """Hold the lock. Yields whether another process had it; `on_wait` is called before the wait."""
    key = (str(deployment.settings.data_dir), organization_id, threading.get_ident())
    if key in _held:
        yield False
        return
    has_waited = is_taken(deployment, organization_id)
    if has_waited and on_wait is not None:
        on_wait()
    with deployment.lake.lock(name(organization_id), exclusive=True):
        _held.add(key)
        try:
            yield has_waited
        finally:
            _held.discard(key)


@contextmanager
def kept_free(deployment: Deployment, organization_id: str) -> Iterator[bool]:
    """Let no build start during the block. Yields False, at once, while one runs."""
    with ExitStack() as stack:
        try:
            stack.enter_context(deployment.lake.lock(name(organization_id), exclusive=False, wait=False))
        except BlockingIOError:
            yield False
            return
        yield True


@contextmanager
def none_running(deployment: Deployment, organization_id: str, on_wait: Callable[[], None]) -> Iterator[None]:
    """Wait for a build that runs, and let none start during the block. `on_wait` is called before the wait."""
    if is_taken(deployment, organization_id):
        on_wait()
    with deployment.lake.lock(name(organization_id), exclusive=False):
        yield


def is_taken(deployment: Deployment, organization_id: str) -> bool:
    """Whether a build of the organization runs at this moment, in whatever process."""
    with kept_free(deployment, organization_id) as is_free:
        return not is_free


def name(organization_id: str) -> str:
    """The name of the lock among the locks of the lake."""
    return f"build-{organization_id}"
