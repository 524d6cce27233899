"""Leaves out work that dbt does for its own developers, or again for each node: unread events, files of SQL, macros.

dbt makes about twenty events for each node, as messages that it fills field by field, and writes two files. That was a
quarter of a small build. Twice for each node it sorts all its macros into packages and looks each up by name, which
was a fifth of the rest. `install` changes classes of dbt for this process; importing this module imports dbt.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dbt.cli.main import dbtRunner
from dbt.clients.jinja import MacroGenerator
from dbt.context.configured import ConfiguredContext
from dbt.context.macros import MacroNamespace, MacroNamespaceBuilder
from dbt.context.manifest import ManifestContext
from dbt.contracts.graph.nodes import Macro, ParsedNode
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
        (ManifestContext, "to_dict", _with_macros),
        (MacroNamespaceBuilder, "build_namespace", _namespace),
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


def _namespace(
    builder: MacroNamespaceBuilder, macros_by_package: Mapping[str, Mapping[str, Macro]], ctx: dict[str, Any]
) -> MacroNamespace:
    """Stands for `MacroNamespaceBuilder.build_namespace`, which asks for the package of each macro."""
    packages = {
        package: {
            macro.name: MacroGenerator(macro, ctx, builder.node, builder.thread_ctx)
            for macro in macros.values()
        }
        for package, macros in macros_by_package.items()
    }
    internal: dict[str, MacroGenerator] = {}
    for package in reversed(builder.internal_package_names_order):
        internal |= packages.pop(package, {})
    is_of_root = builder.search_package == builder.root_package
    return MacroNamespace(
        global_namespace={} if is_of_root else packages.get(builder.root_package, {}),
        local_namespace=packages.get(builder.search_package, {}),
        global_project_namespace=internal,
        packages=packages,
    )


def _with_macros(context: ManifestContext) -> dict[str, Any]:
    """Stands for `ManifestContext.to_dict`, which looks up each macro in five dictionaries. The first of them wins."""
    found: dict[str, Any] = ConfiguredContext.to_dict(context)
    if isinstance(context.namespace, MacroNamespace):
        for names in reversed(list(context.namespace._search_order())):
            found.update(names)
    else:
        found.update(context.namespace.local_namespace)
        found.update(context.namespace.project_namespace)
    return found


def _write_nothing(_node: ParsedNode, _project_root: str, _path: str, _code: str) -> None:
    """Stands for `ParsedNode.write_node`. dbt has the SQL in memory."""
