"""Settings of the operator with which no process starts: exit code 2 and one sentence."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CLI = "from orchestration.cli import main; main()"
CODE_LOCATION = "import orchestration.definitions"


@pytest.mark.parametrize(
    "command",
    [["-m", "api"], ["-c", CLI, "doctor"], ["-c", CLI, "analyze"]],
    ids=["api", "doctor", "analyze"],
)
def test_an_unknown_kind_of_deployment_starts_nothing(tmp_path: Path, command: list[str]) -> None:
    environment = os.environ | {"EAS_DATA_DIR": str(tmp_path / "data"), "EAS_DEPLOYMENT": "selfhosted"}
    done = subprocess.run([sys.executable, *command], env=environment, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.strip() == (
        "Error: EAS_DEPLOYMENT='selfhosted' is no kind of deployment; use one of local, self_hosted, cloud."
    )
    assert not (tmp_path / "data").exists()


def test_the_code_location_of_dagster_does_not_load(tmp_path: Path) -> None:
    environment = os.environ | {"EAS_DATA_DIR": str(tmp_path / "data"), "EAS_DEPLOYMENT": "selfhosted"}
    done = subprocess.run(
        [sys.executable, "-c", CODE_LOCATION], env=environment, capture_output=True, text=True
    )
    assert done.returncode != 0
    assert "StartRefused: EAS_DEPLOYMENT='selfhosted'" in done.stderr


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
    environment = os.environ | {"EAS_DATA_DIR": str(tmp_path / "data"), name: value}
    done = subprocess.run([sys.executable, "-m", "api"], env=environment, capture_output=True, text=True)
    assert done.returncode == 2
    assert told in done.stderr
    assert value not in done.stderr + done.stdout
