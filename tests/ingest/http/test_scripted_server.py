"""A scripted server ends with its block, also where the block fails."""

import threading

import pytest

from tests.ingest.http.scripted_server import answer, playing


def test_a_server_ends_where_its_block_fails() -> None:
    before = set(threading.enumerate())
    with pytest.raises(ZeroDivisionError), playing([answer({})]):
        raise ZeroDivisionError
    assert set(threading.enumerate()) == before
