"""Partitions of the graph: raw tables by repository or connection, all later assets by organization.

A key is `<name> <id>`. The id identifies the partition; the name is for people and may change.
"""

import re

import dagster as dg
from sqlalchemy.exc import IntegrityError

REPOSITORIES = dg.DynamicPartitionsDefinition(name="repositories")
CONNECTIONS = dg.DynamicPartitionsDefinition(name="connections")
ORGANIZATIONS = dg.DynamicPartitionsDefinition(name="organizations")
# Tags of runs. Dagster runs one extraction per repository, one sync per connection and one build per organization at a
# time.
REPOSITORY_TAG, CONNECTION_TAG, ORGANIZATION_TAG = "eas/repository", "eas/connection", "eas/organization"
# The organization of a copy for other machines, which its builds do not wait for.
COPY_TAG = "eas/copy"
# A digest of the inputs of a run that a sensor requested.
INPUTS_TAG = "eas/inputs"


def key(name: str, identifier: str) -> str:
    """Partition key of anything with a name and an id. Replaces characters and `...`, which Dagster refuses in keys."""
    readable = re.sub(r"[^\w./~+-]+", "_", name).replace("...", "_")
    return f"{readable} {identifier}"


def identifier(partition_key: str) -> str:
    """The id in a partition key."""
    return partition_key.rpartition(" ")[2]


def register(
    instance: dg.DagsterInstance, partitions: dg.DynamicPartitionsDefinition, partition_key: str
) -> None:
    """Add a key, and delete keys with the same id and an earlier name."""
    name = str(partitions.name)
    same = _same(instance, name, identifier(partition_key))
    for stale in same:
        if stale != partition_key:
            instance.delete_dynamic_partition(name, stale)
    if partition_key not in same:
        try:
            instance.add_dynamic_partitions(name, [partition_key])
        except IntegrityError:
            # Dagster checks and then writes, so two runs can add the same key at once and the second one fails.
            if partition_key not in instance.get_dynamic_partitions(name):
                raise


def unregister(
    instance: dg.DagsterInstance, partitions: dg.DynamicPartitionsDefinition, removed: str
) -> None:
    """Delete all keys of an id."""
    name = str(partitions.name)
    for known in _same(instance, name, removed):
        instance.delete_dynamic_partition(name, known)


def _same(instance: dg.DagsterInstance, name: str, wanted: str) -> list[str]:
    return [known for known in instance.get_dynamic_partitions(name) if identifier(known) == wanted]
