"""Results of builds that are missing, damaged or incomplete; the next build makes them again.

Contents decide, never times: a copy of a data directory has other times and inodes. All of it holds only while no build
runs (build_lock.py). Keep out: facts of repositories and connections (conditions.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from orchestration.deployment import Deployment
from orchestration.runtime import sealed
from orchestration.runtime.run_state import BuildEntry
from orchestration.state import snapshot_files
from orchestration.state.condition import AGAIN, Condition, Kind
from orchestration.state.warehouse_files import build_record_file

# The noun of the lake that every build copies anew.
SETTINGS = "control"


def of_build(deployment: Deployment, organization_id: str, *, thorough: bool = True) -> Iterator[Condition]:
    """Results that are not as the last recorded build left them. `thorough` reads all files: a gigabyte a second."""
    for found in deployment.lake.damage(SETTINGS, organization_id, thorough=thorough).values():
        yield Condition(
            Kind.LAKE, "Settings in the lake", str(found[0]), f"the next build copies them again ({AGAIN})"
        )
    yield from _published(deployment, organization_id, thorough=thorough)
    yield from _warehouse(deployment, organization_id, thorough=thorough)


def _published(deployment: Deployment, organization_id: str, *, thorough: bool) -> Iterator[Condition]:
    folder = deployment.settings.published_dir / organization_id
    file = folder / snapshot_files.POINTER
    remedy = f"the next build publishes a new one ({AGAIN})"

    def pointer_is(detail: str) -> Condition:
        return Condition(Kind.POINTER, "Pointer to the published build", f"{file} {detail}", remedy)

    try:
        pointer = snapshot_files.read_pointer(folder)
    except FileNotFoundError:
        if deployment.run_state.build(organization_id) is not None or any(folder.glob("*.duckdb")):
            yield pointer_is("is missing")
        return
    except (OSError, ValueError) as error:
        yield pointer_is(f"cannot be read ({error})")
        return
    build = deployment.run_state.build(organization_id)
    # Ids of builds sort by time.
    if build is not None and build.build_id < pointer.build_id:
        yield pointer_is(
            f"names a build, {pointer.build_id}, whose run was stopped after it published and before it recorded that"
        )
    elif build is not None and build.build_id > pointer.build_id:
        yield pointer_is(
            f"names an older build than the last one, {build.build_id}: somebody put a copy back"
        )
    problem = snapshot_files.problem(folder / pointer.file, pointer, thorough=thorough)
    if problem is not None:
        yield Condition(Kind.SNAPSHOT, "Published build", f"{pointer.file} {problem}", remedy)


def _warehouse(deployment: Deployment, organization_id: str, *, thorough: bool) -> Iterator[Condition]:
    """The warehouse of the last recorded build."""
    build = deployment.run_state.build(organization_id)
    if build is None:
        return
    file = deployment.settings.warehouse_file(organization_id)
    if not file.is_file():
        detail = f"{file} is missing"
    elif thorough and (problem := _difference(deployment, organization_id, build)):
        detail = problem
    else:
        return
    yield Condition(Kind.WAREHOUSE, "Warehouse", detail, f"the next build makes it again ({AGAIN})")


def _difference(deployment: Deployment, organization_id: str, build: BuildEntry) -> str | None:
    """The difference of a warehouse from the last recorded build, or None."""
    file = deployment.settings.warehouse_file(organization_id)
    problem = snapshot_files.difference(file, build.warehouse)
    if problem is None:
        return None
    record: dict[str, Any] = {}
    with suppress(OSError, ValueError):
        record = sealed.read(build_record_file(file), organization_id)
    if record.get("build_id", build.build_id) == build.build_id:
        if record:
            return f"{file} {problem}"
        return f"the last build of {file} failed, or was stopped before its end"
    problem = snapshot_files.difference(file, record.get("warehouse"))
    if problem is not None:
        return f"{file} {problem}"
    with suppress(OSError, ValueError):
        if (
            snapshot_files.read_pointer(deployment.settings.published_dir / organization_id).build_id
            == record["build_id"]
        ):
            return None
    return f"{file} holds a complete build, {record['build_id']}, whose run failed or was stopped before it published"
