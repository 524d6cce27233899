"""Settings of the operator with which no process starts: exit code 2 and one sentence."""

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
    "eas doctor": [*CLI, "doctor"],
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
