"""Cells that a spreadsheet would run as formulas are escaped; others are not."""

from datetime import date

import pytest

from api.presentation.cells import inert


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\n=1",
        "  =1",
        "\u00a0=1",
        "＝1",
        "＠x",
        "=cmd|' /C calc'!A0",
        "-",
    ],
)
def test_text_that_would_run_becomes_text(text: str) -> None:
    assert inert(text) == "'" + text


@pytest.mark.parametrize(
    "value", ["Ada", "a=b", "1-2", "", " x", "'=1", -5, -0.5, None, True, date(2026, 1, 1)]
)
def test_everything_else_stays(value: object) -> None:
    assert inert(value) is value
