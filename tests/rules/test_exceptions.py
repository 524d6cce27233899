"""Exceptions from the rules are counted, and no kind has more of them than the project allows."""

import json
from pathlib import Path

import pytest

from tests.rules import exceptions

SOURCE = '''
from __future__ import annotations

import dagster._core.events, httpx  # noqa: E401
from _pytest import config
from api._private import name
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def f() -> None:
    import os  # type: ignore[import]

    """No exception: # noqa, import json, from dagster._core import x."""
'''


def test_each_kind_is_counted(tmp_path: Path) -> None:
    file = tmp_path / "api" / "example.py"
    file.parent.mkdir()
    file.write_text(SOURCE)
    assert exceptions.counted(exceptions.sources(tmp_path)) == {
        "noqa": 1,
        "type: ignore": 1,
        "indented imports": 1,
        "private modules of other packages": 2,
    }


def test_a_line_has_the_number_and_says_where_it_may_fall_or_must() -> None:
    allowed = dict.fromkeys(exceptions.KINDS, 2)
    found = allowed | {"noqa": 3, "type: ignore": 1}
    assert exceptions.lines(found, allowed)[:3] == [
        "    3 noqa: 1 more than allowed; remove them",
        "    1 type: ignore: 1 fewer than allowed; lower the number with --write",
        "    2 indented imports",
    ]


# `make lint` runs the same count.
@pytest.mark.release
def test_the_project_has_no_more_exceptions_than_it_allows() -> None:
    found, allowed = (
        exceptions.counted(exceptions.sources(exceptions.CHECKOUT)),
        json.loads(exceptions.FILE.read_text()),
    )
    assert {kind: found[kind] for kind in found if found[kind] > allowed[kind]} == {}
