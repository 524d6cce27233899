"""What an answer says about a benchmark beside its figures."""

from api.read.benchmarks.groups import Group
from api.snapshot.build import Build, Row


def described(build: Build, group: Group) -> Row:
    """The group and its aggregation. `missingMembers`: saved members that the build has no longer, or not yet."""
    current = group.current_ids(build)
    known = 0 if current is None else len(current)
    return {
        "id": group.id,
        "name": group.name,
        "memberKind": group.entity.kind.upper(),
        "aggregation": group.aggregation.name,
        "percentile": group.percentile,
        "missingMembers": 0 if group.member_ids is None else len(group.member_ids) - known,
    }
