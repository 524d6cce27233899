"""The lines of the log: each has a time in UTC and a level."""

import logging
import re
import subprocess
import sys

import pytest

from api.log_format import logging_config

PROGRAM = """
import logging.config
from api.log_format import logging_config
logging.config.dictConfig(logging_config())
logging.getLogger("api.mail.delivery").warning("a mail was not sent")
logging.getLogger("uvicorn.error").info("a server started")
"""


def test_lines_of_the_application_and_of_the_server_have_a_time_in_utc_and_a_level() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, env={"TZ": "Asia/Tokyo"}
    )
    sent, started = done.stderr.splitlines()
    at = r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z"
    assert re.fullmatch(rf"{at} WARNING:  a mail was not sent", sent)
    assert re.fullmatch(rf"{at} INFO:     a server started", started)


def test_handlers_that_somebody_set_stay_the_only_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logging.getLogger(), "handlers", [logging.NullHandler()])
    assert "root" not in logging_config()
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    assert "root" in logging_config()
