"""Refusals, messages and exit codes of the command line. tests/end_to_end tests its work."""

import re
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest
from typer.testing import CliRunner

from api.app import create_app
from api.control.accounts.tokens import find_by_hash
from api.control.issued_tokens import find_token, key_hash
from api.control.telemetry.ingest_tokens import INGEST_TOKENS
from orchestration.cli import app
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.runtime.run_state import RepositoryEntry

runner = CliRunner()


# The thread waits until somebody waits for it.
PROGRAM = """
import atexit, sys, threading
from orchestration.cli import main
awaited = threading.Event()
class Work(threading.Thread):
    def run(self):
        awaited.wait(30)
        print("thread")
    def join(self, timeout=None):
        awaited.set()
        super().join(timeout)
atexit.register(print, "exit function")
Work().start()
"""


@pytest.mark.parametrize(("argument", "code"), [("--help", 0), ("nonsense", 2)])
def test_the_process_ends_with_the_code_after_exit_functions_and_threads(argument: str, code: int) -> None:
    program = PROGRAM + f"sys.argv = ['eas', {argument!r}]; main()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == code
    assert done.stdout.splitlines()[-2:] == ["thread", "exit function"]


def test_help_names_every_command() -> None:
    answer = runner.invoke(app, ["--help"])
    assert answer.exit_code == 0
    for command in (
        "analyze",
        "remove",
        "connect",
        "sync",
        "disconnect",
        "serve",
        "worker",
        "doctor",
        "engine",
        "backup",
        "restore",
        "token",
        "account",
    ):
        assert command in answer.output


@pytest.mark.parametrize(
    "arguments", [["--no-such-option"], ["no-such-command"], ["analyze", "--no-such-option"]]
)
def test_wrong_use_exits_with_two(arguments: list[str]) -> None:
    assert runner.invoke(app, arguments).exit_code == 2


def test_a_time_zone_that_does_not_exist_is_wrong_use_and_starts_nothing(deployment: Deployment) -> None:
    answer = runner.invoke(app, ["analyze", "--time-zone", "Mars"])
    assert answer.exit_code == 2
    assert "'Mars' is not an IANA time zone" in answer.output
    assert not Path(deployment.settings.raw_root).exists()


def test_an_invalid_setting_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EAS_WORKERS", "many")
    answer = runner.invoke(app, ["doctor"])
    assert answer.exit_code == 2
    assert "EAS_WORKERS" in answer.output


@pytest.mark.parametrize(
    ("arguments", "is_known", "expected"),
    [
        (["--time-zone", "Europe/Berlin"], True, ["https://git.example/a/b"]),
        (["--time-zone", "Europe/Berlin"], False, ["."]),
        (["--time-zone", "Europe/Berlin", "https://git.example/c/d"], True, ["https://git.example/c/d"]),
        ([], True, ["."]),
    ],
)
def test_a_time_zone_alone_applies_to_the_repositories_that_were_analysed_before(
    deployment: Deployment,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    is_known: bool,
    expected: list[str],
) -> None:
    if is_known:
        at = "2024-01-01T00:00:00+00:00"
        for number, succeeded_at in (("1", at), ("2", None)):
            entry = RepositoryEntry(number, "a/b", "https://git.example/a/b", succeeded_at=succeeded_at)
            deployment.run_state.record(LOCAL_ORGANIZATION, entry)
    analysed: list[str] = []
    monkeypatch.setattr("orchestration.build.parsing.ahead", lambda _: nullcontext())

    def run(_: Deployment, targets: list[str], *__: object, **___: object) -> bool:
        analysed.extend(targets)
        return True

    monkeypatch.setattr("orchestration.report.run.run", run)
    answer = runner.invoke(app, ["analyze", *arguments])
    assert answer.exit_code == 0
    assert analysed == [str(Path(one).absolute()) if one == "." else one for one in expected]
    assert ("set for the repository analysed before" in answer.output) == (
        analysed == ["https://git.example/a/b"]
    )


def test_a_token_is_printed_once_and_works(deployment: Deployment) -> None:
    answer = runner.invoke(app, ["token", "create", "--name", "ci", "--expires", "2999-12-31"])
    assert answer.exit_code == 0
    key = answer.stdout.strip()
    assert re.fullmatch(r"service_[\w-]{43}", key)
    with deployment.control() as control:
        found = find_by_hash(control, key_hash(key))
    assert found
    assert found[0].name == "ci"
    assert found[0].expires_at
    assert found[0].expires_at.isoformat().startswith("2999-12-31T23:59:59")


def test_an_ingest_token_is_printed_once_and_names_its_developer(deployment: Deployment) -> None:
    arguments = ["ingest-token", "create", "--name", "laptop", "--developer-email"]
    answer = runner.invoke(app, [*arguments, "Ada@Example.org"])
    assert answer.exit_code == 0
    key = answer.stdout.strip()
    assert re.fullmatch(r"ingest_[\w-]{43}", key)
    with deployment.control() as control:
        found = find_token(control, INGEST_TOKENS, key_hash(key))
    assert found is not None
    assert found[0].developer_email == "ada@example.org"
    refused = runner.invoke(app, [*arguments, "nobody"])
    assert refused.exit_code == 2
    assert "--developer-email: use an address" in refused.output


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--name", ""], "1 to 100 characters"),
        (["--name", "x" * 101], "1 to 100 characters"),
        (["--name", "ci", "--organization", "nobody"], "nobody"),
        (["--name", "ci", "--expires", "2001-01-01"], "--expires: the expiry is in the past"),
        (["--name", "ci", "--expires", "tomorrow"], "'tomorrow' is not a date"),
        (["--name", "ci", "--expires", "2026-02-30"], "'2026-02-30' is not a date"),
        (["--name", "ci", "--expires", ""], "--expires"),
        (["--name", "\u200b"], "--name: "),
    ],
)
def test_a_refused_token_names_the_reason(deployment: Deployment, arguments: list[str], reason: str) -> None:
    answer = runner.invoke(app, ["token", "create", *arguments])
    assert answer.exit_code == 2
    assert reason in answer.output
    assert "_" not in answer.output.replace("eas token create", "")


def test_the_version_is_the_one_of_the_api_and_of_the_figures() -> None:
    answer = runner.invoke(app, ["--version"])
    assert answer.exit_code == 0
    assert re.fullmatch(r"0\.\d+\.\d+\n", answer.output)
    assert (
        answer.output.strip() == create_app().openapi()["info"]["version"] == Deployment().calculation_version
    )
