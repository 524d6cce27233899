"""The build that all reads of one page, or of one tool of an assistant, answer from, also while another is published.

Keep out: leases (builds.py).
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_FIRST: ContextVar[dict[str, str] | None] = ContextVar("first builds", default=None)


@contextmanager
def reading_together(first: dict[str, str]) -> Iterator[None]:
    """Reads within take the builds that `first` names by organization, and note there those that they take first."""
    before = _FIRST.set(first)
    try:
        yield
    finally:
        _FIRST.reset(before)


def first_build(organization_id: str, build_id: str) -> str:
    """The build that the reads began with; `build_id` for the first one, and for a read that stands alone."""
    first = _FIRST.get()
    return build_id if first is None else first.setdefault(organization_id, build_id)
