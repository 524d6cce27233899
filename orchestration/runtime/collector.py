"""Python's garbage collector, held while much is made that stays.

Importing, parsing and recording a build make a million objects that live on; looking through them again and again took
an eighth of the processor time of a small run. Their number follows from the models, not from the commits.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def held() -> Iterator[None]:
    """Collect nothing meanwhile."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
