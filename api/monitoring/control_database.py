"""Times the statements of the control database.

Keep out: the metrics (api/instruments.py).
"""

from __future__ import annotations

import time
from typing import Any

from sqlalchemy import Connection, Engine, event
from sqlalchemy.engine import ExceptionContext

from api.control.database import is_out_of_reach
from api.instruments import CONTROL_ERRORS, CONTROL_SECONDS

BEGAN = "eas_began"


def observe(engine: Engine) -> None:
    """Time every statement of an engine from here on."""
    event.listen(engine, "before_cursor_execute", _begin)
    event.listen(engine, "after_cursor_execute", _end)
    event.listen(engine, "handle_error", _fail)


def _begin(connection: Connection, *_: Any) -> None:
    connection.info[BEGAN] = time.perf_counter()


def _end(connection: Connection, *_: Any) -> None:
    CONTROL_SECONDS.observe(time.perf_counter() - connection.info[BEGAN])


def _fail(context: ExceptionContext) -> None:
    if is_out_of_reach(context.sqlalchemy_exception or context.original_exception):
        CONTROL_ERRORS.inc()
