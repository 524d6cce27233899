from collections.abc import Iterator
from typing import Any

import pytest
from dbt.clients.jinja import MacroGenerator, MacroStack
from dbt.context.macros import MacroNamespace, MacroNamespaceBuilder
from dbt.context.manifest import ManifestContext
from dbt.contracts.graph.nodes import Macro
from dbt.node_types import NodeType
from dbt_common.events.base_types import EventLevel
from dbt_common.events.event_manager import EventManager
from dbt_common.events.event_manager_client import ctx_set_event_manager, get_event_manager
from dbt_common.events.functions import fire_event
from dbt_common.events.types import Note, RetryExternalCall

from orchestration.build import dbt_savings
from orchestration.build.dbt_savings import WithoutDebugEvents


@pytest.fixture
def heard() -> Iterator[list[str]]:
    before = get_event_manager()
    ctx_set_event_manager(EventManager())
    dbt_savings.install()
    texts: list[str] = []

    def hear(message: Any) -> None:  # an EventMsg; its protocol leaves out the text
        texts.append(message.info.msg)

    get_event_manager().add_callback(hear)
    yield texts
    ctx_set_event_manager(before)


def test_events_for_users_are_handed_on(heard: list[str]) -> None:
    for level in (EventLevel.INFO, EventLevel.WARN, EventLevel.ERROR):
        fire_event(Note(msg=level.value), level=level)
    assert heard == ["info", "warn", "error"]


def test_events_for_developers_of_dbt_are_dropped(heard: list[str]) -> None:
    fire_event(RetryExternalCall(attempt=1, max=2))
    fire_event(Note(msg="at a debug level"), level=EventLevel.DEBUG)
    fire_event(Note(msg="perhaps an error"), level=EventLevel.DEBUG, force_warn_or_error_handling=True)
    assert heard == ["perhaps an error"]


def test_a_dropped_event_can_still_be_read(heard: list[str]) -> None:
    event = RetryExternalCall(attempt=1, max=2)
    assert (event.attempt, event.max) == (1, 2)
    event.attempt = 3
    assert "3" in event.message()
    assert Note(msg="a note").msg == "a note"


def test_the_manager_with_its_callbacks_stays_from_one_command_to_the_next(heard: list[str]) -> None:
    before = get_event_manager()
    dbt_savings.install()
    assert get_event_manager() is before
    assert isinstance(before, WithoutDebugEvents)


BUILD_NAMESPACE, TO_DICT = MacroNamespaceBuilder.build_namespace, ManifestContext.to_dict
INTERNAL = ["dbt_duckdb", "dbt"]


def macros(**names: str) -> dict[str, dict[str, Macro]]:
    """Macros of packages; names are separated by spaces."""
    return {
        package: {
            name: Macro(
                name=name, package_name=package, path="a", original_file_path="a",
                resource_type=NodeType.Macro, unique_id=f"{package}.{name}", macro_sql="",
            )
            for name in listed.split()
        }
        for package, listed in names.items()
    }  # fmt: skip


@pytest.mark.parametrize("of_node", ["ours", "other", "dbt"])
def test_every_name_leads_to_the_macro_that_dbt_finds(
    heard: list[str], monkeypatch: pytest.MonkeyPatch, of_node: str
) -> None:
    """A package of the node before ours, before other packages, before those of the adapter, before dbt's own."""
    found = macros(
        dbt="a b c d e other", dbt_duckdb="b c d e", other="c d e f", ours="d e g", third="e h dbt"
    )

    def shown(member: object) -> object:
        if isinstance(member, MacroGenerator):
            return member.macro.unique_id, member.context is context, member.stack is stack
        assert isinstance(member, dict)
        return {name: shown(one) for name, one in member.items()}

    monkeypatch.setattr("dbt.context.configured.ConfiguredContext.to_dict", lambda _: {"a": 1, "left": 2})
    context: dict[str, Any] = {}
    stack = MacroStack()
    seen = []
    for build, flatten in (
        (BUILD_NAMESPACE, TO_DICT),
        (MacroNamespaceBuilder.build_namespace, ManifestContext.to_dict),
    ):
        namespace = build(MacroNamespaceBuilder("ours", of_node, stack, INTERNAL), found, context)
        whole = ManifestContext.__new__(ManifestContext)
        whole.namespace = namespace
        flat = flatten(whole)
        assert flat.pop("left") == 2
        seen.append(
            (
                {name: shown(member) for name, member in flat.items()},
                {package: shown(names) for package, names in namespace.packages.items()},
                shown(namespace.get_from_package("dbt", "e")),
            )
        )
    assert BUILD_NAMESPACE is not MacroNamespaceBuilder.build_namespace
    assert seen[0] == seen[1]
    assert isinstance(namespace, MacroNamespace)
