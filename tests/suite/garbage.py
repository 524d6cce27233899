"""Python's search for garbage leaves out what the collection of tests has made.

Modules, documents and ten thousand test items live to the end of a run. With them each search is slow: it doubles the
time of the collection (15 s to 8 s on one core without) and takes a tenth of that of the tests.
"""

import gc

import pytest

gc.disable()


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    gc.enable()
    gc.freeze()
