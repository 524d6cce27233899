import dagster as dg
import pytest
from sqlalchemy.exc import IntegrityError

from orchestration.runtime import partitions
from orchestration.runtime.partitions import REPOSITORIES


def test_the_id_is_parsed_after_any_name() -> None:
    for name in ("redis/redis", "with blank", "a...b", "x\x07y", "日本", ""):
        assert partitions.identifier(partitions.key(name, "0190-id")) == "0190-id"


def test_dagster_accepts_keys_of_odd_names() -> None:
    instance = dg.DagsterInstance.ephemeral()
    for name in ("with blank", "a...b", "x\x07y\n"):
        partitions.register(instance, REPOSITORIES, partitions.key(name, f"id{len(name)}"))
    assert len(instance.get_dynamic_partitions("repositories")) == 3


def test_a_renamed_repository_has_one_partition() -> None:
    instance = dg.DagsterInstance.ephemeral()
    for name in ("old", "new", "new"):
        partitions.register(instance, REPOSITORIES, partitions.key(name, "1"))
    partitions.register(instance, REPOSITORIES, partitions.key("other", "2"))
    assert set(instance.get_dynamic_partitions("repositories")) == {"new 1", "other 2"}


def test_two_runs_can_add_the_same_key_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    instance = dg.DagsterInstance.ephemeral()
    add = instance.add_dynamic_partitions

    def be_second(name: str, keys: list[str]) -> None:
        add(name, keys)
        raise IntegrityError("insert", {}, Exception("UNIQUE constraint failed"))

    monkeypatch.setattr(instance, "add_dynamic_partitions", be_second)
    partitions.register(instance, REPOSITORIES, "name 1")
    assert list(instance.get_dynamic_partitions("repositories")) == ["name 1"]
