"""Lists that consist of other lists, such as the repositories of several workspaces or projects."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NoReturn

from ingest.connections.model import Deferred, Slice
from ingest.errors import ProviderRefused, Refusal

OF_ONE_LIST = frozenset({Refusal.NOT_FOUND, Refusal.FORBIDDEN, Refusal.GONE})


def read_lists(names: Sequence[str], read: Callable[[str], Iterator[Slice]]) -> Iterator[Slice]:
    """Slices of every list. A list that the provider refuses stops no other; a single one raises ProviderRefused.

    It stands as a row without id, which is counted and shown: nobody takes its rows for deleted.
    """
    for name in names:
        try:
            yield from read(name)
        except ProviderRefused as error:
            if error.refusal not in OF_ONE_LIST or len(names) == 1:
                raise
            yield Slice([Deferred(None, partial(refuse, error))], None)


def refuse(error: ProviderRefused) -> NoReturn:
    """Raise the refusal where a row would be read."""
    raise error
