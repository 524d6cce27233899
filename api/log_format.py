"""The form of the lines in the log of the server: time in UTC, level, message; or JSON with the id of the request.

Keep out: what is logged.
"""

import copy
import logging
import time
from typing import Any

import orjson
from uvicorn.config import LOGGING_CONFIG
from uvicorn.logging import DefaultFormatter

from api.request_ids import request_id


class UtcFormatter(DefaultFormatter):
    """Uvicorn's form after the time, as in `2026-05-01T08:30:00Z WARNING:  the mail was not sent`."""

    converter = staticmethod(time.gmtime)
    default_time_format = "%Y-%m-%dT%H:%M:%SZ"
    default_msec_format = None


class JsonFormatter(logging.Formatter):
    """A JSON object in a line. `requestId` is that of the answer's `X-Request-Id`."""

    converter = staticmethod(time.gmtime)

    def format(self, record: logging.LogRecord) -> str:
        """The line of a record; a stack is one text in it."""
        line: dict[str, Any] = {
            "time": f"{self.formatTime(record, '%Y-%m-%dT%H:%M:%S')}.{record.msecs:03.0f}Z",
            "level": record.levelname,
            "logger": record.name,
            "process": record.process,
            "message": record.getMessage(),
        }
        if (current := request_id.get()) is not None:
            line["requestId"] = current
        if record.exc_info:
            line["stack"] = self.formatException(record.exc_info)
        return orjson.dumps(line, default=str).decode()


def logging_config(*, as_json: bool = False) -> dict[str, Any]:
    """The configuration of a process that serves. Handlers that somebody set before stay the only ones."""
    config = copy.deepcopy(LOGGING_CONFIG)
    if as_json:
        config["formatters"]["default"] = {"()": JsonFormatter}
    else:
        config["formatters"]["default"] |= {
            "()": UtcFormatter,
            "fmt": "%(asctime)s %(levelprefix)s %(message)s",
        }
    if not logging.getLogger().handlers:
        config["root"] = {"handlers": ["default"]}
    return config
