"""The form of the lines in the log of the server: time in UTC, level, message.

Keep out: what is logged.
"""

import copy
import logging
import time
from typing import Any

from uvicorn.config import LOGGING_CONFIG
from uvicorn.logging import DefaultFormatter


class UtcFormatter(DefaultFormatter):
    """Uvicorn's form after the time, as in `2026-05-01T08:30:00Z WARNING:  the mail was not sent`."""

    converter = staticmethod(time.gmtime)
    default_time_format = "%Y-%m-%dT%H:%M:%SZ"
    default_msec_format = None


def logging_config() -> dict[str, Any]:
    """The configuration of a process that serves. Handlers that somebody set before stay the only ones."""
    config = copy.deepcopy(LOGGING_CONFIG)
    config["formatters"]["default"] |= {"()": UtcFormatter, "fmt": "%(asctime)s %(levelprefix)s %(message)s"}
    if not logging.getLogger().handlers:
        config["root"] = {"handlers": ["default"]}
    return config
