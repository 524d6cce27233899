"""The repairs of `eas doctor --fix`: results and facts are made again, a lost control database is replaced.

Keep out: what counts as damage (state/conditions.py), and repairs that every run makes (analysis.py).
"""

from __future__ import annotations

from contextlib import closing, suppress
from functools import partial

from rich.console import Console

from api.control.database import check_file
from api.control.errors import DatabaseDamaged, DatabaseLost
from api.control.schema import start_anew
from api.control.store import open_store
from ingest.errors import LakeCorrupt
from ingest.lake import Lake
from orchestration.commands.analysis import clear_way, read_and_build
from orchestration.deployment import LOCAL_ORGANIZATION, LOCAL_SLUG, Deployment
from orchestration.publishing import copies
from orchestration.reading.opening import Analysis, Problem
from orchestration.runtime.terminal import Watcher, plain


def fix(deployment: Deployment, console: Console) -> None:
    """Make again what is lost or damaged. A lost control database is replaced by an empty one."""
    data_dir = deployment.settings.data_dir
    watcher = Watcher(console)
    clear_way(deployment, watcher)
    try:
        check_file(data_dir)
    except (DatabaseLost, DatabaseDamaged):
        kept = start_anew(data_dir, partial(_register_again, deployment.lake))
        where = f"; the damaged one is {kept}" if kept else ""
        console.print(
            f"A new control database without any decision or account was made{where}.", soft_wrap=True
        )
    with watcher.watching():
        problems = _repair(deployment, watcher)
    for problem in problems:
        line = f"Not repaired: {plain(problem.subject)}: {plain(problem.reason)}"
        console.print(line, style="bold red", markup=False, highlight=False, soft_wrap=True)


def _register_again(lake: Lake, url: str) -> None:
    """Add the repositories of the command line's organization to a new control database, as the lake knows them."""
    with closing(open_store(url=url)) as control:
        control.ensure_organization("Local", organization_id=LOCAL_ORGANIZATION, slug=LOCAL_SLUG)
        for source_id in lake.sources("git", LOCAL_ORGANIZATION):
            with suppress(LakeCorrupt):
                for run in (
                    lake.source("git", LOCAL_ORGANIZATION, source_id).read("repository_runs").to_pylist()
                ):
                    control.upsert_repository(
                        LOCAL_ORGANIZATION, source_id, name=run["name"], origin=run["origin"]
                    )


def _repair(deployment: Deployment, watcher: Watcher) -> list[Problem]:
    """Make again what is lost or damaged in every organization. Returns what could not be repaired."""
    with deployment.control() as control:
        known = control.organizations()
    problems = []
    for organization in known:
        repaired = Analysis(organization.id, organization.slug)
        read_and_build(deployment, repaired, (), watcher, only_damaged=True)
        problems += repaired.problems
        try:
            copies.mirror(deployment.settings.published_dir, organization.id)
        except copies.CopyFailed as error:
            problems.append(Problem(organization.slug, str(error)))
        except ValueError as error:
            reason = f"the pointer of its published build is damaged ({error}), so the build was not copied"
            problems.append(
                Problem(organization.slug, f"{reason}; correct the other problems, then repeat this")
            )
    return problems
