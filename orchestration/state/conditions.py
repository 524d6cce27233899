"""The conditions that earlier work, accidents or damage left behind: one list for `eas analyze`, sensors and doctor.

Each condition says what is wrong and what helps. Most need no person: the next run extracts a repository from the start
(`repository_id`) or builds again. Add: a kind of damage, with its remedy. Keep out: results of builds
(build_conditions.py), repairs (commands/analysis.py, sensors).
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from contextlib import contextmanager

from api.control.database import REMEDY, check_file
from api.control.errors import DatabaseDamaged, DatabaseLost
from api.control.repositories import removals, sync_status
from ingest import obstacles
from ingest.errors import LakeCorrupt
from ingest.schemas import SYNCED
from orchestration.deployment import Deployment
from orchestration.state import connections, strays
from orchestration.state.condition import AGAIN, Condition, Kind
from orchestration.state.connections import KnownConnection

EXTRACTED = "git"
LOCK_SUFFIXES = (".lock", ".publishing", ".migrating")


def of_deployment(deployment: Deployment) -> Iterator[Condition]:
    """Conditions of all organizations: things in the place of locks and other files, and the control database."""
    found = strays.found(deployment)
    locks = [one for one in found if one.name.endswith(LOCK_SUFFIXES)]
    others = [one for one in found if one not in locks]
    remedy = f"the next run moves it to `{obstacles.FOLDER}` ({AGAIN})"
    for kind, subject, listed in ((Kind.LOCK, "Locks", locks), (Kind.FOREIGN, "Foreign files", others)):
        if listed:
            yield Condition(kind, subject, f"{strays.named(deployment, listed)}: no run reads this", remedy)
    try:
        check_file(deployment.settings.data_dir)
    except (DatabaseLost, DatabaseDamaged) as error:
        detail = str(error).removesuffix(f". {REMEDY}")
        yield Condition(Kind.CONTROL_DATABASE, "Control database", detail, REMEDY)


def damaged_facts(
    deployment: Deployment, organization_id: str, *, thorough: bool = True
) -> Iterator[Condition]:
    """Repositories whose facts are missing or not as they were written."""
    lake = deployment.lake
    with deployment.control() as control:
        known = removals.repositories(control, organization_id)
        read = sync_status.read_repositories(control, organization_id)
    names = {one.repository_id: one.name for one in known}
    removed = {one.repository_id for one in known if one.is_removed}
    damaged = lake.damage(EXTRACTED, organization_id, thorough=thorough)
    for source_id, found in damaged.items():
        if source_id in names and source_id not in removed:
            name = names[source_id]
            remedy = _extraction_of(name)
            more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
            blocks = any(one.is_fact for one in found)
            yield Condition(Kind.LAKE, f"Facts of {name}", f"{found[0]}{more}", remedy, source_id, blocks)
    for source_id in sorted(names.keys() - removed - damaged.keys()):
        if detail := difference_to_record(deployment, organization_id, source_id):
            read.discard(source_id)
            name = names[source_id]
            remedy = _extraction_of(name)
            yield Condition(Kind.LAKE, f"Facts of {name}", detail, remedy, source_id, blocks_build=True)
    for source_id in sorted(read - removed - damaged.keys()):
        # A run that was killed within its first extraction never was complete.
        if not lake.source(EXTRACTED, organization_id, source_id).state().extra.get("seen"):
            name = names.get(source_id, source_id)
            detail = "the lake holds no complete facts of it, although it was read"
            remedy = _extraction_of(name)
            yield Condition(Kind.LAKE, f"Facts of {name}", detail, remedy, source_id, blocks_build=True)


def damaged_connections(
    deployment: Deployment, organization_id: str, *, thorough: bool = True
) -> Iterator[Condition]:
    """Connections whose facts are missing or not as they were written."""
    lake = deployment.lake
    names = _connections(deployment, organization_id) if _has_synced(deployment, organization_id) else {}
    for noun in SYNCED:
        damaged = lake.damage(noun, organization_id, thorough=thorough) if names else {}
        for source_id, found in damaged.items():
            if source_id in names:
                more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
                blocks = any(one.is_fact for one in found)
                yield _damaged_connection(
                    names[source_id], source_id, f"{found[0]}{more}", blocks_build=blocks
                )
    for source_id, one in names.items():
        if detail := connections.older_than_recorded(deployment, one):
            yield _damaged_connection(one, source_id, detail, blocks_build=True)


def _damaged_connection(
    found: KnownConnection, connection_id: str, detail: str, *, blocks_build: bool
) -> Condition:
    remedy = (
        f"the next sync reads it from the start (run `eas sync {connection_id}`); until then the published figures of"
        " its organization stay. If the provider no longer has it, remove the connection"
    )
    subject = f"Facts of connection {found.name}"
    return Condition(
        Kind.LAKE, subject, detail, remedy, blocks_build=blocks_build, connection_id=connection_id
    )


def _has_synced(deployment: Deployment, organization_id: str) -> bool:
    """Whether the lake has or had facts of a connection; most deployments have none."""
    return deployment.run_state.has_connections(organization_id) or any(
        deployment.lake.sources(noun, organization_id) for noun in SYNCED
    )


def _connections(deployment: Deployment, organization_id: str) -> dict[str, KnownConnection]:
    known = connections.all_known(deployment)
    return {one.id: one for one in known if one.organization_id == organization_id}


def _extraction_of(name: str) -> str:
    """The remedy for facts of the repository `name`."""
    return (
        f"the next run extracts it from the start ({AGAIN}); until then the published figures of its organization stay."
        f" If the repository no longer exists, restore the file from a backup or run `eas remove {shlex.quote(name)}`"
    )


def difference_to_record(deployment: Deployment, organization_id: str, source_id: str) -> str | None:
    """The difference of intact facts from those of the last run: they are gone, or somebody put an older copy back.

    A run that was killed before its record leaves newer ones. Raises LakeCorrupt.
    """
    entry = deployment.run_state.repository(organization_id, source_id)
    state = deployment.lake.source(EXTRACTED, organization_id, source_id).state()
    if entry is None or entry.facts is None or state.batch > entry.batch:
        return None
    if not state.batch:
        return f"the lake holds no facts of it, although the last run wrote them (batch {entry.batch})"
    if state.batch == entry.batch and state.digest() == entry.facts:
        return None
    return f"the lake holds facts of an earlier run (batch {state.batch}, the last run wrote {entry.batch})"


@contextmanager
def reading_lake(deployment: Deployment, organization_id: str) -> Iterator[None]:
    """Hold while a build reads the lake (`Lake.reading`). Raises LakeCorrupt with the names of the repositories, at
    the end if a file changed meanwhile.
    """
    discard_foreign_facts(deployment, organization_id)
    try:
        with deployment.lake.reading(organization_id):
            _refuse_damaged_facts(deployment, organization_id)
            yield
    except LakeCorrupt:
        # The damaged sources are marked now, so this finds them without reading the files again.
        _refuse_damaged_facts(deployment, organization_id)
        raise


def discard_foreign_facts(deployment: Deployment, organization_id: str) -> None:
    """Delete damaged sources of nothing known, for example a copy of a state file under another name."""
    damaged = deployment.lake.damage(EXTRACTED, organization_id, thorough=False)
    if damaged:
        with deployment.control() as control:
            known = {one.repository_id for one in removals.repositories(control, organization_id)}
        for source_id in damaged.keys() - known:
            deployment.lake.source(EXTRACTED, organization_id, source_id).clear()
    for noun in SYNCED:
        foreign = deployment.lake.damage(noun, organization_id, thorough=False)
        if foreign:
            for source_id in foreign.keys() - _connections(deployment, organization_id).keys():
                deployment.lake.source(noun, organization_id, source_id).clear()


def explain_failure(deployment: Deployment, organization_id: str) -> None:
    """Raise LakeCorrupt if the lake was damaged while a build read it, instead of DuckDB's text about a file."""
    lake = deployment.lake
    for noun in (EXTRACTED, *SYNCED):
        for source_id, found in lake.damage(noun, organization_id).items():
            lake.source(noun, organization_id, source_id).mark_damaged(str(found[0]))
    _refuse_damaged_facts(deployment, organization_id)


def blocking(deployment: Deployment, organization_id: str, *, thorough: bool = True) -> list[Condition]:
    """Damaged facts of repositories and connections with which a build would publish wrong figures."""
    found = (
        *damaged_facts(deployment, organization_id, thorough=thorough),
        *damaged_connections(deployment, organization_id, thorough=thorough),
    )
    return [one for one in found if one.blocks_build]


def _refuse_damaged_facts(deployment: Deployment, organization_id: str) -> None:
    found = blocking(deployment, organization_id, thorough=False)
    if found:
        raise LakeCorrupt(
            "; ".join(f"{one.subject}: {one}" for one in found),
            sources=tuple(key for one in found if (key := one.repository_id or one.connection_id)),
        )
