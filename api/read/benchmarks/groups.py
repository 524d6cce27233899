"""The groups behind benchmarks: the saved ones, and the two that every organization has.

Keep out: how groups are saved (control/benchmarks), their figures (`ranges`, `series`).
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from api.control.benchmarks.benchmarks import Aggregation, BenchmarkRecord, MemberKind
from api.errors import NotFound
from api.query.conditions import Condition, both, one_of
from api.read.entities import DEVELOPERS, REPOSITORIES, Entity
from api.read.ids import current_id
from api.snapshot.build import Build

ENTITIES = {MemberKind.DEVELOPER: DEVELOPERS, MemberKind.REPOSITORY: REPOSITORIES}


class BuiltIn(StrEnum):
    """The benchmarks that every organization has. Their members are all developers, repositories or teams."""

    ORGANIZATION_AVERAGE = "ORGANIZATION_AVERAGE"
    ZERO_DAY_INDEX = "ZERO_DAY_INDEX"


NAMES = {BuiltIn.ORGANIZATION_AVERAGE: "Organization average", BuiltIn.ZERO_DAY_INDEX: "Zero-day index"}


@dataclass(frozen=True, slots=True)
class Group:
    """A group and how its figures become one.

    `member_ids` is None for everybody; bots are never members, and sandboxes only by their ids. `share` is the
    percentile as a fraction, None for the average. With `is_index`, each member's series is divided by its first
    complete bucket with output, times 100, before.
    """

    id: str
    name: str
    entity: Entity
    member_ids: tuple[str, ...] | None
    aggregation: Aggregation = Aggregation.AVERAGE
    percentile: int | None = None
    is_index: bool = False

    @property
    def share(self) -> float | None:
        """The percentile from 0 to 1; None for the average."""
        if self.aggregation is Aggregation.MEDIAN:
            return 0.5
        return None if self.percentile is None else self.percentile / 100

    def current_ids(self, build: Build) -> frozenset[str] | None:
        """The ids under which the build has the members. Removed ones are left out, merged ones come once."""
        if self.member_ids is None:
            return None
        found = (current_id(build, self.entity, one) for one in self.member_ids)
        return frozenset(one for one in found if one is not None)

    def members(self, build: Build, key: str) -> Condition:
        """The condition for rows of the members: on the column `key`."""
        ids = self.current_ids(build)
        outside = {DEVELOPERS: "is_bot", REPOSITORIES: "is_sandbox"}.get(self.entity)
        conditions = []
        if outside and (ids is None or self.entity is DEVELOPERS):
            conditions.append(
                Condition(f"{key} not in (select {self.entity.key} from {self.entity.table} where {outside})")
            )
        if ids is not None:
            conditions.append(one_of(key, sorted(ids)))
        return both(*conditions)


@dataclass(frozen=True, slots=True)
class Reference:
    """A group with the groups of the same kind that were saved before it, which decide what it may show."""

    group: Group
    earlier: tuple[Group, ...] = ()

    @property
    def key(self) -> str:
        """Equal for references that give the same figures of a build."""
        return hashlib.blake2b(repr(self).encode(), digest_size=16).hexdigest()


def reference(records: Sequence[BenchmarkRecord], wanted: str, of: Entity = DEVELOPERS) -> Reference:
    """The benchmark of this id or built-in name; a built-in one has all of `of` as members.

    `records` are all saved groups, oldest first. Raises NotFound.
    """
    if wanted.upper() in BuiltIn.__members__:
        name = BuiltIn(wanted.upper())
        return Reference(Group(name, NAMES[name], of, None, is_index=name is BuiltIn.ZERO_DAY_INDEX))
    saved = [
        Group(one.id, one.name, ENTITIES[one.member_kind], one.member_ids, one.aggregation, one.percentile)
        for one in records
    ]
    for number, group in enumerate(saved):
        if group.id == wanted.lower():
            return Reference(group, tuple(one for one in saved[:number] if one.entity is group.entity))
    raise NotFound(
        f"no benchmark {wanted!r} in this organization; …/benchmarks lists them, and {' and '.join(BuiltIn)} exist "
        "in every organization"
    )
