"""Leaves out work that dbt does for its own developers: unread events, and files of SQL.

dbt makes about twenty events for each node, as messages that it fills field by field, and writes two files. That was a
quarter of a small build. `install` changes classes of dbt for this process; importing this module imports dbt.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dbt.cli.main import dbtRunner
from dbt.contracts.graph.nodes import ParsedNode
from dbt_common.clients.system import write_file
from dbt_common.events.base_types import BaseEvent, DebugLevel, EventLevel
from dbt_common.events.event_manager import EventManager
from dbt_common.events.event_manager_client import ctx_set_event_manager, get_event_manager

DROPPED_LEVELS = frozenset({EventLevel.DEBUG, EventLevel.TEST})


class WithoutDebugEvents(EventManager):
    """Hands events to loggers and callbacks, except those of a level that none of ours reads."""

    def fire_event(
        self,
        e: BaseEvent,
        level: EventLevel | None = None,
        node: Any = None,
        force_warn_or_error_handling: bool = False,
    ) -> None:
        """Hand on an event. An event that may become an error is judged by dbt, whatever its level."""
        if force_warn_or_error_handling or (level or e.level_tag()) not in DROPPED_LEVELS:
            super().fire_event(e, level, node, force_warn_or_error_handling)


def install() -> None:
    """Leave these things out in this process. dbt keeps its event manager between commands."""
    if not isinstance(get_event_manager(), WithoutDebugEvents):
        ctx_set_event_manager(WithoutDebugEvents())
    for changed, name, member in (
        (DebugLevel, "__init__", _keep_values),
        (DebugLevel, "pb_msg", property(_message, _set_message)),
        (ParsedNode, "write_node", _write_nothing),
    ):
        setattr(changed, name, member)


def runner(manifest: Any, callback: Callable[[Any], None]) -> dbtRunner:
    """A runner of commands over a parsed project, or over its files. It tells its events to `callback`."""
    return dbtRunner(manifest, callbacks=[callback])


def write_compiled(node: Any) -> None:
    """Write the SQL of a node to the file that dbt names when the node fails."""
    if code := getattr(node, "compiled_code", None):
        write_file(node.compiled_path, code)


def _keep_values(event: DebugLevel, *args: Any, **values: Any) -> None:
    """Stands for `BaseEvent.__init__`, which fills the message."""
    event.__dict__["_values"] = args, values


def _message(event: DebugLevel) -> Any:
    if "_message" not in event.__dict__:
        args, values = event.__dict__["_values"]
        BaseEvent.__init__(event, *args, **values)
    return event.__dict__["_message"]


def _set_message(event: DebugLevel, message: Any) -> None:
    event.__dict__["_message"] = message


def _write_nothing(_node: ParsedNode, _project_root: str, _path: str, _code: str) -> None:
    """Stands for `ParsedNode.write_node`. dbt has the SQL in memory."""
