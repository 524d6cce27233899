"""Settings with which no process starts: exit code 2 and a sentence for each of them. Misspelled ones are a warning."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ingest.settings import CHECKOUT
from tests.api.control.operator.signing import PUBLIC

CLI = ["-c", "from orchestration.cli import main; main()"]
DAGSTER = ["-c", "from dagster._cli import main; main()"]
WEB_SERVER = ["-c", "from dagster_webserver.cli import main; main()"]
DAEMON = ["-c", "from dagster._daemon.cli import main; main()"]
COMMANDS = {
    "api": ["-m", "api"],
    "eas": [*CLI],
    "eas help": [*CLI, "--help"],
    "eas analyze": [*CLI, "analyze"],
    "eas serve": [*CLI, "serve"],
    "eas root-login": [*CLI, "root-login"],
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


def started(command: list[str], folder: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """The process when it has ended. A server that starts runs into the time limit, which fails the test."""
    home = folder / "home"
    home.mkdir()
    shutil.copy(CHECKOUT / "dagster.yaml", home)
    environment = os.environ | {"EAS_DATA_DIR": str(folder / "data"), "DAGSTER_HOME": str(home)} | settings
    return subprocess.run(
        [sys.executable, "-W", "ignore", *command],
        env=environment, capture_output=True, text=True, timeout=60, cwd=CHECKOUT, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"EAS_DEPLOYMENT": "selfhosted"}, UNKNOWN_KIND),
        ({"DISABLE_SERVICE_SUPPORT_ACCESS": "true"}, NO_KEY),
    ],
    ids=["unknown kind", "no administrator key"],
)
def test_no_process_starts(tmp_path: Path, command: str, settings: dict[str, str], told: str) -> None:
    done = started(COMMANDS[command], tmp_path, **settings)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (2, told)
    assert not (tmp_path / "data").exists()


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


@pytest.mark.parametrize("command", ["api", "eas help", "eas analyze", "eas serve", "code location"])
def test_every_wrong_setting_is_a_sentence_of_its_own(tmp_path: Path, command: str) -> None:
    done = started(COMMANDS[command], tmp_path, **WRONG)
    assert done.returncode == 2
    lines = done.stderr.splitlines()
    assert [line.startswith("Error: ") and line.endswith(".") for line in lines] == [True] * len(WRONG), lines
    for name in WRONG:
        named = "EAS_SIGN_IN_GOOGLE_CLIENT_SECRET is missing" if "GOOGLE" in name else name
        assert sum(line.startswith(f"Error: {named}") for line in lines) == 1, lines
    assert done.stdout == ""
    assert not (tmp_path / "data").exists()


def test_the_doctor_finds_every_wrong_and_every_misspelled_setting(tmp_path: Path) -> None:
    done = started([*CLI, "doctor", "--fix"], tmp_path, **WRONG, EAS_SMTP="x")
    assert (done.returncode, done.stderr) == (
        2, "Error: nothing starts with these settings: correct them and run `eas doctor` again\n",
    )  # fmt: skip
    lines = done.stdout.splitlines()
    assert [line[:13] for line in lines] == ["FAIL Setting:"] * len(WRONG) + ["warn Setting:"]
    assert "did you mean EAS_SMTP_URL?" in lines[-1]
    assert not (tmp_path / "data").exists()


def test_the_doctor_names_the_settings_that_are_good(tmp_path: Path) -> None:
    done = started([*CLI, "doctor"], tmp_path, EAS_WORKERS="1", EAS_SMTP="x", EAS_GIT_TOKEN="tok_secret")
    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines()[1].startswith("ok   Settings: EAS_DATA_DIR, EAS_WORKERS, EAS_GIT_TOKEN; ")
    assert done.stdout.startswith("warn Setting: EAS_SMTP is no setting")
    assert "tok_secret" not in done.stdout
    assert done.stderr == ""


@pytest.mark.parametrize("command", ["api", "eas help", "code location"])
def test_a_misspelled_setting_is_one_warning_also_beside_a_wrong_one(tmp_path: Path, command: str) -> None:
    done = started(COMMANDS[command], tmp_path, EAS_SIGN_IN_GOOGLE_CLIENTID="x", EAS_WORKERS="many")
    assert done.returncode == 2
    warning, error = done.stderr.splitlines()
    assert warning.startswith(
        "Warning: EAS_SIGN_IN_GOOGLE_CLIENTID is no setting of the service and has no effect; "
    )
    assert warning.endswith("did you mean EAS_SIGN_IN_GOOGLE_CLIENT_ID? Otherwise unset it.")
    assert error.startswith("Error: EAS_WORKERS='many' is no whole number from 1 to 64; ")


def test_nothing_but_the_warning_comes_of_a_misspelled_setting(tmp_path: Path) -> None:
    done = started(COMMANDS["eas help"], tmp_path, EAS_SMTP="x", EAS_WAREHOUSE_PATH=":memory:")
    assert (done.returncode, done.stderr.count("\n")) == (0, 1)
    assert done.stderr.startswith("Warning: EAS_SMTP ")


def test_the_processes_that_a_warned_one_starts_do_not_warn_again(tmp_path: Path) -> None:
    program = (
        "import subprocess, sys\nfrom api.control.operator.settings import start_or_exit\nstart_or_exit()\n"
    )
    done = started(
        ["-c", f"{program}subprocess.run([sys.executable, '-c', {program!r}], check=True)"],
        tmp_path,
        EAS_X="1",
    )
    assert done.returncode == 0
    assert done.stderr.count("Warning: EAS_X ") == 1


@pytest.mark.parametrize("value", ["TRUE", " True ", "tRuE"])
@pytest.mark.parametrize("kind", ["local", "self_hosted", "cloud"])
def test_the_switch_is_read_in_any_case_and_in_any_kind_of_deployment(
    tmp_path: Path, value: str, kind: str
) -> None:
    done = started(COMMANDS["eas"], tmp_path, EAS_DEPLOYMENT=kind, DISABLE_SERVICE_SUPPORT_ACCESS=value)
    assert (done.returncode, done.stderr.strip()) == (2, NO_KEY)


def test_a_misspelled_switch_leaves_nothing_open(tmp_path: Path) -> None:
    done = started(
        COMMANDS["api"], tmp_path, DISABLE_SERVICE_SUPPORT_ACCESS="yes", EAS_ADMINISTRATOR_KEY=PUBLIC
    )
    assert (done.returncode, done.stderr.strip()) == (2, NO_SWITCH)


def test_a_malformed_key_is_refused_without_its_value(tmp_path: Path) -> None:
    done = started(COMMANDS["api"], tmp_path, EAS_ADMINISTRATOR_KEY="private_root_key_abc")
    assert done.returncode == 2
    assert done.stderr.startswith("Error: EAS_ADMINISTRATOR_KEY is no public key: ")
    assert "private_root_key_abc" not in done.stderr + done.stdout


@pytest.mark.parametrize("switch", ["true", "false", ""])
def test_with_a_key_of_the_administrator_everything_starts(tmp_path: Path, switch: str) -> None:
    settings = {"DISABLE_SERVICE_SUPPORT_ACCESS": switch, "EAS_ADMINISTRATOR_KEY": PUBLIC}
    assert started(COMMANDS["eas help"], tmp_path, **settings).returncode == 0


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("EAS_BILLING_SECRET", "too-short-to-be-safe", "EAS_BILLING_SECRET holds a secret of fewer than 32"),
        ("EAS_CHECKOUT_URL", "http://pay.example.org", "EAS_CHECKOUT_URL is no address to pay at"),
    ],
)
def test_settings_of_billing_are_checked_and_no_message_has_the_secret(
    tmp_path: Path, name: str, value: str, told: str
) -> None:
    done = started(COMMANDS["api"], tmp_path, **{name: value})
    assert done.returncode == 2
    assert told in done.stderr
    assert value not in done.stderr + done.stdout
