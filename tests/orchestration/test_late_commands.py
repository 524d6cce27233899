"""Commands are imported when they run, and lists tell of them before."""

import subprocess
import sys
from itertools import chain

import pytest
from typer import Typer
from typer.testing import CliRunner

from orchestration.cli import app
from orchestration.cli.late_commands import Place, docstring, late
from orchestration.cli.program import COMMANDS, GROUPS

PLACES = sorted(
    chain(
        ((name, place) for name, place in COMMANDS.items()),
        ((f"{group} {name}", place) for group, (_, below) in GROUPS.items() for name, place in below.items()),
    )
)


@pytest.mark.parametrize(("name", "place"), PLACES)
def test_every_command_is_where_the_list_says(name: str, place: Place) -> None:
    answer = CliRunner().invoke(app, [*name.split(), "--help"], terminal_width=200)
    assert answer.exit_code == 0, answer.output
    summary = place.summary or docstring(place.module, place.name)
    # Help is wrapped, and shows a piece of code without its signs.
    assert summary.split("\n")[0].split("`")[0][:30] in " ".join(answer.output.split())


@pytest.mark.parametrize("arguments", [["--help"], ["token", "--help"], ["no-such-command"]])
def test_lists_import_no_command(arguments: list[str]) -> None:
    modules = sorted({place.module for _, place in PLACES})
    program = (
        "import sys; from orchestration.cli import app\n"
        f"try: app({arguments!r})\n"
        "except SystemExit: pass\n"
        f"print([one for one in {modules!r} if one in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_a_mistyped_name_gets_the_right_one() -> None:
    assert "Did you mean 'analyze'?" in CliRunner().invoke(app, ["analyse"]).output


def test_a_function_without_a_docstring_is_told() -> None:
    with pytest.raises(LookupError, match="has no docstring"):
        docstring("orchestration.cli.late_commands", "no_such_function")
    with pytest.raises(LookupError, match="has no source"):
        docstring("sys", "exit")


def test_commands_of_other_modules_stand_before_those_of_a_group() -> None:
    group = Typer(cls=late({"mcp": COMMANDS["mcp"]}), help="Two commands.")

    @group.callback()
    def begin() -> None:
        """A group has a callback, or two commands of its own."""

    @group.command()
    def own() -> None:
        """An own command."""

    output = CliRunner().invoke(group, ["--help"]).output
    assert 0 < output.index("Answer an assistant") < output.index("An own command")
