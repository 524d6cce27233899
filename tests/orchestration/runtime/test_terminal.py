import io
import subprocess
import sys
from pathlib import Path

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


def test_a_command_goes_on_when_nobody_reads_its_output_any_longer(tmp_path: Path) -> None:
    """`eas analyze | head -1` ended the printing thread of a build, which then never ended."""
    finished = tmp_path / "finished"
    program = f"""
from pathlib import Path
from orchestration.cli.context import make_console
console = make_console()
for number in range(20_000):
    console.print(f"line {{number}}")
Path({str(finished)!r}).touch()
"""
    command = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert command.stdout is not None
    command.stdout.readline()
    command.stdout.close()
    assert (command.wait(timeout=60), command.stderr and command.stderr.read()) == (0, b"")
    assert finished.exists()
