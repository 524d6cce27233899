"""Settings with which no process starts: exit code 2 and a sentence for each of them. Misspelled ones are a warning.

Each program is started once, with every wrong setting at once. Single settings are tried in this process, at the places
where the programs begin, because the start of a program takes up to three seconds.
"""

import os
import runpy
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import dagster as dg
import pytest

from api.operator.machines import PUBLISHED_COPY, PUBLISHED_FROM
from api.operator.settings import start_or_exit
from api.serve import serve
from ingest.settings import CHECKOUT
from orchestration.cli import program
from tests.api.operator.signing import PUBLIC
from tests.suite.tiers import some

DAGSTER = ["-c", "from dagster._cli import main; main()"]
WEB_SERVER = ["-c", "from dagster_webserver.cli import main; main()"]
DAEMON = ["-c", "from dagster._daemon.cli import main; main()"]
PROGRAMS = {
    "api": ["-m", "api"],
    "eas analyze": ["-c", "from orchestration.cli import main; main()", "analyze"],
    "code location": ["-c", "import orchestration.definitions"],
    "code server": [
        *DAGSTER,
        "api",
        "grpc",
        "-m",
        "orchestration.definitions",
        "--socket",
        "/nowhere/socket",
    ],
    "dagster dev": [*DAGSTER, "dev", "--port", "0"],
    "web server": [*WEB_SERVER, "--port", "0"],
    "daemon": [*DAEMON, "run"],
}
UNKNOWN_KIND = (
    "Error: EAS_DEPLOYMENT='selfhosted' is no kind of deployment; use one of local, self_hosted, cloud."
)
WAY = (
    "the public key that `env -u DISABLE_SERVICE_SUPPORT_ACCESS -u EAS_ADMINISTRATOR_KEY eas root-login new-key FILE`"
    " prints"
)
NO_KEY = (
    "Error: DISABLE_SERVICE_SUPPORT_ACCESS=true leaves EAS_ADMINISTRATOR_KEY as the only key that signs in as root, and"
    f" it is not set; set it to {WAY}, or remove DISABLE_SERVICE_SUPPORT_ACCESS."
)
NO_SWITCH = "Error: DISABLE_SERVICE_SUPPORT_ACCESS='yes' is neither true nor false; use one of them."
WRONG = {
    "EAS_APP_URL": "nonsense",
    "EAS_API_PORT": "many",
    "EAS_API_PROCESSES": "0",
    "EAS_SMTP_URL": "word@mail",
    "EAS_PRIVATE_HOSTS": "http://x",
    "EAS_SECRET_KEY": "abc",
    "EAS_TRUSTED_PROXIES": "foo",
    "EAS_EXTRACTION_ENGINE": "nonsense",
    "EAS_SIGN_IN_GOOGLE_CLIENT_ID": "x",
}


def assert_each_is_told_once(lines: list[str]) -> None:
    assert [line.startswith("Error: ") and line.endswith(".") for line in lines] == [True] * len(WRONG), lines
    for name in WRONG:
        named = "EAS_SIGN_IN_GOOGLE_CLIENT_SECRET is missing" if "GOOGLE" in name else name
        assert sum(line.startswith(f"Error: {named}") for line in lines) == 1, lines


@pytest.mark.parametrize("name", some(PROGRAMS, 3))
def test_no_program_starts_and_every_wrong_setting_is_a_sentence_of_its_own(
    tmp_path: Path, name: str
) -> None:
    """A server that starts runs into the time limit, which fails the test."""
    home = tmp_path / "home"
    home.mkdir()
    shutil.copy(CHECKOUT / "dagster.yaml", home)
    settings = WRONG | {
        "EAS_DEPLOYMENT": "selfhosted",
        "DISABLE_SERVICE_SUPPORT_ACCESS": "true",
        "EAS_SIGN_IN_GOOGLE_CLIENTID": "x",
    }
    done = subprocess.run(
        [sys.executable, "-W", "ignore", *PROGRAMS[name]],
        env=os.environ | {"EAS_DATA_DIR": str(tmp_path / "data"), "DAGSTER_HOME": str(home)} | settings,
        capture_output=True, text=True, timeout=60, cwd=CHECKOUT, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    # Programs of Dagster greet before that.
    assert done.stdout == "" or name in ("code server", "dagster dev", "web server", "daemon")
    warning, *errors = done.stderr.splitlines()
    assert warning.startswith(
        "Warning: EAS_SIGN_IN_GOOGLE_CLIENTID is no setting of the service and has no effect; "
    )
    assert warning.endswith("did you mean EAS_SIGN_IN_GOOGLE_CLIENT_ID? Otherwise unset it.")
    assert {UNKNOWN_KIND, NO_KEY} < set(errors)
    assert_each_is_told_once([line for line in errors if line not in (UNKNOWN_KIND, NO_KEY)])
    assert not (tmp_path / "data").exists()


@dataclass(frozen=True)
class Ended:
    """How a program that ran in this process ended, and what it printed."""

    code: object
    output: str
    errors: str


Ends = Callable[[Callable[[], object]], Ended]


@pytest.fixture
def ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Ends:
    """Run the beginning of a program in this process until it ends with an exit code."""
    home = tmp_path / "home"
    home.mkdir()
    shutil.copy(CHECKOUT / "dagster.yaml", home)
    monkeypatch.setenv("EAS_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("DAGSTER_HOME", str(home))
    monkeypatch.chdir(CHECKOUT)

    def end(ended: SystemExit) -> None:
        raise ended

    # It would end the process of the tests.
    monkeypatch.setattr(program, "_end", end)

    def run(begin: Callable[[], object]) -> Ended:
        with pytest.raises(SystemExit) as ended:
            begin()
        return Ended(ended.value.code, *capsys.readouterr())

    return run


def eas(*arguments: str) -> Callable[[], None]:
    def run() -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", ["eas", *arguments])
            program.main()

    return run


BEGINNINGS: dict[str, Callable[[], object]] = {
    "api": serve,
    "eas": eas(),
    "eas help": eas("--help"),
    "eas analyze": eas("analyze"),
    "eas serve": eas("serve"),
    "eas root-login": eas("root-login"),
    "code location": lambda: runpy.run_path(str(CHECKOUT / "orchestration" / "definitions.py")),
    "instance of Dagster": dg.DagsterInstance.get,
    "parsing": lambda: runpy.run_path(
        str(CHECKOUT / "orchestration" / "build" / "parsing.py"), run_name="__main__"
    ),
}


@pytest.mark.parametrize("begin", BEGINNINGS.values(), ids=BEGINNINGS)
@pytest.mark.parametrize(
    ("name", "value", "told"),
    [("EAS_DEPLOYMENT", "selfhosted", UNKNOWN_KIND), ("DISABLE_SERVICE_SUPPORT_ACCESS", "true", NO_KEY)],
    ids=["unknown kind", "no administrator key"],
)
def test_a_single_wrong_setting_is_refused_wherever_a_program_begins(
    ends: Ends,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    begin: Callable[[], object],
    name: str,
    value: str,
    told: str,
) -> None:
    monkeypatch.setenv(name, value)
    assert ends(begin) == Ended(2, "", f"{told}\n")
    assert not (tmp_path / "data").exists()


def test_a_machine_that_copies_builds_and_fetches_them_is_refused(
    ends: Ends, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (PUBLISHED_COPY, PUBLISHED_FROM):
        monkeypatch.setenv(name, "s3://bucket/published")
    ended = ends(eas("serve"))
    assert ended.code == 2
    assert ended.errors == (
        "Error: EAS_PUBLISHED_COPY is for the machine that builds, and EAS_PUBLISHED_FROM for those that fetch its"
        " builds; unset EAS_PUBLISHED_FROM if this machine builds, or EAS_PUBLISHED_COPY if it only answers.\n"
    )


def test_copies_beside_workers_need_a_place(ends: Ends, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.operator.machines.util.find_spec", lambda _: object())
    monkeypatch.setenv("EAS_PUBLISHED_COPY", "s3://bucket/published")
    assert ends(eas("--help")).code == 0
    monkeypatch.setenv("EAS_RUN_QUEUE", "redis://queue.example")
    ended = ends(eas("--help"))
    assert ended.code == 2
    assert ended.errors == (
        "Error: EAS_RUN_SLOTS has to be at least 3 with EAS_PUBLISHED_COPY: reading, builds and copies need a place"
        " each; set EAS_RUN_SLOTS=3, and start workers with 3 places.\n"
    )
    monkeypatch.setenv("EAS_RUN_SLOTS", "3")
    assert ends(eas("--help")).code == 0


@pytest.mark.parametrize("command", ["--help", "serve"])
def test_every_wrong_setting_is_told_by_each_command(
    ends: Ends, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    for name, value in WRONG.items():
        monkeypatch.setenv(name, value)
    ended = ends(eas(command))
    assert (ended.code, ended.output) == (2, "")
    assert_each_is_told_once(ended.errors.splitlines())
    assert not (tmp_path / "data").exists()


def test_the_doctor_finds_every_wrong_and_every_misspelled_setting(
    ends: Ends, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in WRONG.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("EAS_SMTP", "x")
    ended = ends(eas("doctor", "--fix"))
    assert (ended.code, ended.errors) == (
        2, "Error: nothing starts with these settings: correct them and run `eas doctor` again\n",
    )  # fmt: skip
    lines = ended.output.splitlines()
    assert [line[:13] for line in lines] == ["FAIL Setting:"] * len(WRONG) + ["warn Setting:"]
    assert "did you mean EAS_SMTP_URL?" in lines[-1]
    assert not (tmp_path / "data").exists()


def test_the_doctor_names_the_settings_that_are_good(ends: Ends, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"EAS_WORKERS": "1", "EAS_SMTP": "x", "EAS_GIT_TOKEN": "tok_secret"}.items():
        monkeypatch.setenv(name, value)
    ended = ends(eas("doctor"))
    assert (ended.code, ended.errors) == (0, ""), ended.output
    assert ended.output.splitlines()[1].startswith(
        "ok   Settings: EAS_DATA_DIR, EAS_WORKERS, EAS_GIT_TOKEN; "
    )
    assert ended.output.startswith("warn Setting: EAS_SMTP is no setting")
    assert "tok_secret" not in ended.output


def test_nothing_but_the_warning_comes_of_a_misspelled_setting(
    ends: Ends, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EAS_SMTP", "x")
    monkeypatch.setenv("EAS_WAREHOUSE_PATH", ":memory:")
    ended = ends(eas("--help"))
    assert (ended.code, ended.errors.count("\n")) == (0, 1)
    assert ended.errors.startswith("Warning: EAS_SMTP ")
    assert "Usage: " in ended.output


def test_the_processes_that_a_warned_one_starts_do_not_warn_again(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("EAS_X", "1")
    start_or_exit()
    ask = "import os; print(os.environ.get('EAS_X'))"
    assert subprocess.run([sys.executable, "-S", "-c", ask], check=True).returncode == 0
    start_or_exit()
    printed = capfd.readouterr()
    assert (printed.out, printed.err.count("Warning: EAS_X ")) == ("None\n", 1)


@pytest.mark.parametrize("value", ["TRUE", " True ", "tRuE"])
@pytest.mark.parametrize("kind", ["local", "self_hosted", "cloud"])
def test_the_switch_is_read_in_any_case_and_in_any_kind_of_deployment(
    ends: Ends, monkeypatch: pytest.MonkeyPatch, value: str, kind: str
) -> None:
    monkeypatch.setenv("EAS_DEPLOYMENT", kind)
    monkeypatch.setenv("DISABLE_SERVICE_SUPPORT_ACCESS", value)
    assert ends(eas()) == Ended(2, "", f"{NO_KEY}\n")


def test_a_misspelled_switch_leaves_nothing_open(ends: Ends, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISABLE_SERVICE_SUPPORT_ACCESS", "yes")
    monkeypatch.setenv("EAS_ADMINISTRATOR_KEY", PUBLIC)
    assert ends(serve) == Ended(2, "", f"{NO_SWITCH}\n")


def test_a_malformed_key_is_refused_without_its_value(ends: Ends, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EAS_ADMINISTRATOR_KEY", "private_root_key_abc")
    ended = ends(serve)
    assert ended.code == 2
    assert ended.errors.startswith("Error: EAS_ADMINISTRATOR_KEY is no public key: ")
    assert "private_root_key_abc" not in ended.errors + ended.output


@pytest.mark.parametrize("switch", ["true", "false", ""])
def test_with_a_key_of_the_administrator_everything_starts(
    ends: Ends, monkeypatch: pytest.MonkeyPatch, switch: str
) -> None:
    monkeypatch.setenv("DISABLE_SERVICE_SUPPORT_ACCESS", switch)
    monkeypatch.setenv("EAS_ADMINISTRATOR_KEY", PUBLIC)
    ended = ends(eas("--help"))
    assert (ended.code, ended.errors) == (0, "")


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("EAS_BILLING_SECRET", "too-short-to-be-safe", "EAS_BILLING_SECRET holds a secret of fewer than 32"),
        ("EAS_CHECKOUT_URL", "http://pay.example.org", "EAS_CHECKOUT_URL is no address to pay at"),
    ],
)
def test_settings_of_billing_are_checked_and_no_message_has_the_secret(
    ends: Ends, monkeypatch: pytest.MonkeyPatch, name: str, value: str, told: str
) -> None:
    monkeypatch.setenv(name, value)
    ended = ends(serve)
    assert ended.code == 2
    assert told in ended.errors
    assert value not in ended.errors + ended.output
