"""dbt's events without those for its own developers.

dbt makes about twenty such events for each model, as messages that it fills field by field. Handing them to loggers
that drop them took a tenth of a small build.
"""

from __future__ import annotations

from typing import Any

from dbt_common.events.base_types import BaseEvent, EventLevel
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


def drop_debug_events() -> None:
    """Let dbt in this process drop events for its own developers. dbt keeps the manager between commands."""
    if not isinstance(get_event_manager(), WithoutDebugEvents):
        ctx_set_event_manager(WithoutDebugEvents())
