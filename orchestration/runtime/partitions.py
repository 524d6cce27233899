"""Partitions of the graph: raw Git tables by repository, everything built from them by organization.

Keys read `<name> <id>`: the name is for people, the id alone counts, since names change.
"""

import re

import dagster as dg
from sqlalchemy.exc import IntegrityError

REPOSITORIES = dg.DynamicPartitionsDefinition(name="repositories")
ORGANIZATIONS = dg.DynamicPartitionsDefinition(name="organizations")
# Tags of runs. A repository is read by one run at a time, an organization built by one; Dagster queues the others.
REPOSITORY_TAG, ORGANIZATION_TAG = "eas/repository", "eas/organization"


def key(name: str, identifier: str) -> str:
    """Partition key of a repository or organization. Dagster refuses control characters and `...` in keys."""
    readable = re.sub(r"[^\w./~+-]+", "_", name).replace("...", "_")
    return f"{readable} {identifier}"


def identifier(partition_key: str) -> str:
    """The id of a partition key."""
    return partition_key.rpartition(" ")[2]


def register(
    instance: dg.DagsterInstance, partitions: dg.DynamicPartitionsDefinition, partition_key: str
) -> None:
    """Add a key; keys of the same thing under an earlier name go."""
    name = str(partitions.name)
    same = _same(instance, name, identifier(partition_key))
    for stale in same:
        if stale != partition_key:
            instance.delete_dynamic_partition(name, stale)
    if partition_key not in same:
        try:
            instance.add_dynamic_partitions(name, [partition_key])
        except IntegrityError:
            # Dagster looks and then writes: of two runs that add the same key at once, one is second.
            if partition_key not in instance.get_dynamic_partitions(name):
                raise


def unregister(
    instance: dg.DagsterInstance, partitions: dg.DynamicPartitionsDefinition, removed: str
) -> None:
    """Delete the keys of an id, if there are any."""
    name = str(partitions.name)
    for known in _same(instance, name, removed):
        instance.delete_dynamic_partition(name, known)


def _same(instance: dg.DagsterInstance, name: str, wanted: str) -> list[str]:
    return [known for known in instance.get_dynamic_partitions(name) if identifier(known) == wanted]
