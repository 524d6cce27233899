import io

import pytest
from rich.console import Console

from orchestration.runtime.terminal import Watcher, plain


@pytest.mark.parametrize(
    ("hostile", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "[31mred[0m"),
        ("title\x1b]0;owned\x07", "title]0;owned"),
        ("two\nlines\r\tand tabs", "two lines and tabs"),
        ("moc.\u202etxt.exe", "moc.txt.exe"),
        ("zero\u200bwidth", "zerowidth"),
        ("Grüße, 日本 🎉", "Grüße, 日本 🎉"),
    ],
)
def test_foreign_text_cannot_control_the_terminal(hostile: str, shown: str) -> None:
    assert plain(hostile) == shown


def test_stages_are_printed_once_without_a_terminal() -> None:
    out = io.StringIO()
    watcher = Watcher(Console(file=out, width=100))
    with watcher.watching():
        for done in range(5):
            watcher.stage("owner/name", "commits", done, 5)
        watcher.stage("owner/name", "lines", 1, 0)
        watcher.done("owner/name", "5 new commits")
    assert out.getvalue().splitlines() == [
        "owner/name: commits",
        "owner/name: lines",
        "owner/name: 5 new commits",
    ]


def test_markup_in_names_is_not_interpreted() -> None:
    out = io.StringIO()
    watcher = Watcher(Console(file=out, width=100, force_terminal=True))
    with watcher.watching():
        watcher.stage("[bold]x[/nonsense]", "commits", 1, 2)
        watcher.done("[bold]x[/nonsense]", "done [/]")
    assert "[bold]x[/nonsense]: done [/]" in out.getvalue()
