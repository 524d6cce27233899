"""Ids that callers give, as ids of the build: those of visible rows, teams with all below them, ids in filters."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from api.access.row_access import RowAccess
from api.query.conditions import Condition, both, one_of, selected
from api.query.filtering import NamedId
from api.query.parameters import AuthoredQuery
from api.read.entities import DEVELOPERS, REPOSITORIES, TEAMS, Entity
from api.snapshot.build import Build


def visible_ids(build: Build, access: RowAccess, entity: Entity, wanted: Sequence[str]) -> tuple[str, ...]:
    """The current ids of these entities, in their order, each once. A missing entity is an error, not zero figures.

    Raises the error of `RowAccess.unknown` for the first id outside of the visible rows, existing or not.
    """
    if not wanted:
        return ()
    # A lead gets the same answer for each led team, also before a build has it.
    led = {one.lower() for one in wanted if entity is TEAMS and access.leads(one.lower())}
    found = [one.lower() if one.lower() in led else current_id(build, entity, one) for one in wanted]
    known = [one for one in found if one is not None]
    visible = set(known)
    if access.is_narrowed:
        condition = one_of(entity.key, known)
        rows = build.rows(
            f"select {entity.key} as id from {access.table(build, entity.table)} where {condition.sql}"
        )
        visible = led | {row["id"] for row in rows}
    for given, one in zip(wanted, found, strict=True):
        if one not in visible:
            raise access.unknown(f"{entity.kind} {given!r}")
    return tuple(dict.fromkeys(known))


def visible_teams(build: Build, access: RowAccess, wanted: Sequence[str]) -> tuple[str, ...]:
    """The ids of these teams and of every team below them. Raises as `visible_ids`."""
    return with_sub_teams(build, access, visible_ids(build, access, TEAMS, wanted))


def with_sub_teams(build: Build, access: RowAccess, teams: Sequence[str]) -> tuple[str, ...]:
    """These teams, which the access must know, and every team below them in the tree that it sees.

    A team that no build has yet is returned without teams below it.
    """
    if not teams:
        return ()
    rows = build.rows(
        f"select distinct part.team_id from {access.table(build, 'team_lines')} as lines "
        "join teams as part on part.position = lines.team_number "
        f"join teams as top on top.position = lines.ancestor_number where {one_of('top.team_id', teams).sql}"
    )
    return tuple(sorted({*teams, *(row["team_id"] for row in rows)}))


def current_id(build: Build, entity: Entity, wanted: str) -> str | None:
    """The current id of an entity in the build: for a merged developer the id of the merged one."""

    def find(build: Build) -> dict[str, str]:
        # Lists, because a row for each of 50,000 would take five times as long.
        ids = build.value(f"select list({entity.key}) from {entity.table}") or ()
        if entity is not DEVELOPERS:
            return dict(zip(ids, ids, strict=True))
        former, became = build.rows(
            "select list(known_id) as known, list(developer_id) as now from developer_known_ids "
            "where known_id <> developer_id"
        )[0].values()
        # A current id wins over a former id of another entity.
        return dict(zip(former or (), became or (), strict=True)) | dict(zip(ids, ids, strict=True))

    return build.remembered(f"ids of {entity.table}", find).get(wanted.lower())


def selected_entities(build: Build, access: RowAccess, query: AuthoredQuery) -> Condition:
    """The condition for rows of the selected repositories, developers and teams. Raises as `visible_ids`."""
    return both(
        selected("repository_id", visible_ids(build, access, REPOSITORIES, query.repository)),
        selected("developer_id", visible_ids(build, access, DEVELOPERS, query.developer)),
        selected("team_id", visible_teams(build, access, query.team)),
    )


def with_current_ids(build: Build, filtered: Condition) -> Condition:
    """A filter with current ids in place of the given ones, as in paths. Unknown ids stay."""
    if not any(isinstance(value, NamedId) for value in filtered.parameters):
        return filtered
    return replace(filtered, parameters=tuple(_current(build, value) for value in filtered.parameters))


def _current(build: Build, value: Any) -> Any:
    if not isinstance(value, NamedId):
        return value
    # Only developers get other ids later (by merges), and no other entity has an id of theirs.
    return current_id(build, DEVELOPERS, value.text) or value.text
