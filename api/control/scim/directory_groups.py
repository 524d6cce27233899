"""Groups of a directory and their members.

Everything happens in the write transaction of one request. Keep out: teams (group_teams.py).
"""

from collections.abc import Iterable, Mapping, Sequence

from sqlalchemy import and_, delete, select
from sqlalchemy.orm import Session

from api.control.audit import Target, record
from api.control.errors import AlreadyExists, InvalidSetting, NotFound
from api.control.ids import new_id
from api.control.list_pages import among
from api.control.models import DirectoryGroup, DirectoryGroupMember, DirectoryUser
from api.control.records import owned
from api.control.scim.group_teams import USER, begin_memberships, end_memberships, link_team
from api.control.scim.profiles import MAX_EXTERNAL_ID_LENGTH, MAX_KEY_LENGTH, GroupProfile
from api.control.store import ControlStore, Write

GROUP = "Group"


def create_group(session: Write, store: ControlStore, profile: GroupProfile) -> DirectoryGroup:
    """Keep a new group with its members. Raises InvalidSetting for an unknown member, and AlreadyExists for a group
    that the directory created before: it repeats a request whose answer was lost.
    """
    _check(profile)
    _refuse_repeated(session, profile)
    now = store.now()
    group = DirectoryGroup(
        id=new_id(),
        organization_id=session.organization_id,
        display_name_key=profile.display_name_key,
        external_id=profile.external_id,
        team_id=None,
        resource=profile.resource,
        version=1,
        created_at=now,
        modified_at=now,
    )
    session.add(group)
    session.flush()
    link_team(session, group, profile.display_name)
    after = {"members": len(profile.members), "teamId": group.team_id}
    record(session, "directoryGroups.create", _target(group, profile), after=after)
    begin_memberships(session, store, group, _add(session, group, profile.members))
    return group


def update_group(session: Write, store: ControlStore, group: DirectoryGroup, profile: GroupProfile) -> None:
    """Replace the attributes and the members of a group. Raises InvalidSetting for an unknown member."""
    _check(profile)
    group.display_name_key, group.external_id = profile.display_name_key, profile.external_id
    group.resource = profile.resource
    group.version += 1
    group.modified_at = max(store.now(), group.created_at)
    present = {row.member_id: row for row in members_of(session, [group.id])}
    gone = [row for member, row in present.items() if member not in profile.members]
    added = {member: shown for member, shown in profile.members.items() if member not in present}
    for member, row in present.items():
        row.display = profile.members.get(member, row.display)
    is_linked = link_team(session, group, profile.display_name)
    end_memberships(session, store, gone)
    if gone:
        lost = among(session, DirectoryGroupMember.member_id, [row.member_id for row in gone])
        session.execute(
            delete(DirectoryGroupMember).where(DirectoryGroupMember.group_id == group.id, lost),
            execution_options={"synchronize_session": False},
        )
    new = _add(session, group, added)
    if is_linked:
        new += [row for member, row in present.items() if member in profile.members]
    if added or gone or is_linked:
        after = {"added": len(added), "removed": len(gone), "teamId": group.team_id}
        record(session, "directoryGroups.update", _target(group, profile), after=after)
    begin_memberships(session, store, group, new)
    session.flush()


def delete_group(session: Write, store: ControlStore, group: DirectoryGroup) -> None:
    """Forget a group. The team memberships that it began end today."""
    rows = members_of(session, [group.id])
    end_memberships(session, store, rows)
    name = str(group.resource.get("displayName", ""))[:255]
    record(session, "directoryGroups.delete", Target("directoryGroup", group.id, name))
    session.execute(delete(DirectoryGroupMember).where(DirectoryGroupMember.group_id == group.id))
    session.execute(delete(DirectoryGroupMember).where(DirectoryGroupMember.member_id == group.id))
    session.delete(group)
    session.flush()


def existing_group(session: Session, organization_id: str, group_id: str | None) -> DirectoryGroup:
    """The group of this id. Raises NotFound."""
    group = session.get(DirectoryGroup, group_id) if group_id else None
    if group is None or group.organization_id != organization_id:
        raise NotFound(f"no group {(group_id or '')[:64]!r} in this directory")
    return group


def members_of(session: Session, group_ids: Sequence[str]) -> list[DirectoryGroupMember]:
    """The members of groups, by group."""
    of_groups = among(session, DirectoryGroupMember.group_id, group_ids)
    order = DirectoryGroupMember.member_id
    return list(session.scalars(select(DirectoryGroupMember).where(of_groups).order_by(order)))


def _add(
    session: Write, group: DirectoryGroup, members: Mapping[str, str | None]
) -> list[DirectoryGroupMember]:
    known = _known(session, members)
    if unknown := [member for member in members if member not in known]:
        raise InvalidSetting(
            "members", f"this directory has no user or group {unknown[0][:64]!r}; create it first"
        )
    if group.id in members:
        raise InvalidSetting("members", "a group cannot be a member of itself")
    rows = [
        DirectoryGroupMember(
            group_id=group.id,
            member_id=member,
            kind=known[member],
            display=shown,
            team_membership_id=None,
        )
        for member, shown in members.items()
    ]
    session.add_all(rows)
    session.flush()
    return rows


def _known(session: Write, members: Iterable[str]) -> dict[str, str]:
    """The kinds of those members that exist."""
    kinds: dict[str, str] = {}
    wanted = list(members)
    for table, kind in ((DirectoryUser, USER), (DirectoryGroup, GROUP)) if wanted else ():
        named = among(session, table.id, wanted)
        found = select(table.id).where(table.organization_id == session.organization_id, named)
        kinds |= dict.fromkeys(session.scalars(found), kind)
    return kinds


def _refuse_repeated(session: Write, profile: GroupProfile) -> None:
    """By `externalId`, else by the name among groups without one: two groups of a directory may have the same name."""
    if profile.external_id is not None:
        same = DirectoryGroup.external_id == profile.external_id
    else:
        same = and_(
            DirectoryGroup.external_id.is_(None), DirectoryGroup.display_name_key == profile.display_name_key
        )
    found = owned(DirectoryGroup, session.organization_id, same).with_only_columns(DirectoryGroup.id)
    if session.scalar(found.limit(1)) is not None:
        what = "externalId" if profile.external_id is not None else "displayName"
        raise AlreadyExists(f"another group of this directory has this {what}; change that group instead")


def _check(profile: GroupProfile) -> None:
    if len(profile.display_name_key) > MAX_KEY_LENGTH:
        raise InvalidSetting("displayName", f"use at most {MAX_KEY_LENGTH} characters")
    if any(len(shown or "") > MAX_KEY_LENGTH for shown in profile.members.values()):
        raise InvalidSetting("members.display", f"use at most {MAX_KEY_LENGTH} characters")
    if profile.external_id is not None and len(profile.external_id) > MAX_EXTERNAL_ID_LENGTH:
        raise InvalidSetting("externalId", f"use at most {MAX_EXTERNAL_ID_LENGTH} characters")


def _target(group: DirectoryGroup, profile: GroupProfile) -> Target:
    return Target("directoryGroup", group.id, profile.display_name[:255])
