"""Two days of the soak. `python -m tests.chaos.soak --days 24` lives through more."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from ingest.settings import CHECKOUT


@pytest.mark.release
@pytest.mark.timeout(3600)
@pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="moves the clock, which works on Linux alone"
)
def test_a_deployment_lives_through_accidents_and_stays_right() -> None:
    lived = subprocess.run(
        [sys.executable, "-m", "tests.chaos.soak", "--days", "2", "--seed", "1"],
        env=os.environ | {"PYTHONPATH": str(CHECKOUT)},
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert lived.returncode == 0, lived.stdout + lived.stderr
