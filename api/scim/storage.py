"""The users and groups of one organization's directory, as the SCIM library reads and writes them.

A change is one write transaction: what a request found before it is compared by version, so nothing is lost or half
done. Keep out: the protocol (the library), rules of memberships and teams (api/control/scim).
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, cast

from scim2_models import (
    ForbiddenException,
    InvalidValueException,
    NotFoundException,
    Path,
    PreconditionFailedException,
    Resource,
    ResourceType,
    ResponseParameters,
    ScimFilter,
    ScimProvider,
    SearchRequest,
    UniquenessException,
)
from scim2_server.storage import ScimStorage, SearchPage
from scim2_server.utils import parametrize
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from api.control import errors as control
from api.control.list_pages import among
from api.control.models import DirectoryGroup, DirectoryGroupMember, DirectoryUser
from api.control.permissions import Permission
from api.control.principals import Principal
from api.control.scim.directory_groups import (
    create_group,
    delete_group,
    existing_group,
    members_of,
    update_group,
)
from api.control.scim.directory_users import create_user, delete_user, existing_user, update_user
from api.control.store import ControlStore, Write
from api.scim.descriptions import group_profile, group_resource, user_profile, user_resource
from api.scim.searches import TABLES, condition, order
from api.scim.service import USER, provider

Row = DirectoryUser | DirectoryGroup


class DirectoryStorage(ScimStorage):
    """The directory that a SCIM token provisions. Without `answers_members` an update returns a group without them."""

    def __init__(
        self,
        store: ControlStore,
        directory: Principal,
        described: ScimProvider | None = None,
        *,
        answers_members: bool = True,
    ) -> None:
        assert directory.directory is not None
        self._store = store
        self._actor = directory
        self._organization_id = directory.directory.organization_id
        self._provider = described or provider()
        self._answers_members = answers_members

    def get(
        self,
        resource_type: ResourceType,
        resource_id: str,
        *,
        response_parameters: ResponseParameters[Any] | None = None,
    ) -> Resource[Any]:
        """A user or group. Members are not read where the answer leaves them out."""
        with _translated(), self._store.session() as session:
            row = self._existing(session, resource_type, resource_id)
            with_members = response_parameters is None or _keeps(response_parameters, "members")
            return self._resources(session, [row], with_members=with_members)[0]

    def search(
        self, resource_types: list[ResourceType], search_request: SearchRequest[Any], *, position: Any = None
    ) -> SearchPage:
        """A page of matching resources. One type in an order that SQL has is paged by SQL."""
        with _translated(), self._store.session() as session:
            with_members = _keeps(search_request, "members") or _names(search_request, "members")
            if len(resource_types) == 1 and search_request.filter is None:
                ordered = order(str(resource_types[0].name), search_request)
                if ordered is not None:
                    return self._page(session, resource_types[0], search_request, ordered, with_members)
            found: list[Resource[Any]] = []
            for resource_type in resource_types:
                found += self._matching(session, resource_type, search_request, with_members)
        if search_request.sort_by is not None:
            found = list(search_request.sort(found))
        start = search_request.start_index_0 or 0
        stop = None if search_request.count is None else start + search_request.count
        return SearchPage(len(found), found[start:stop])

    def create(self, resource_type: ResourceType, resource: Resource[Any]) -> Resource[Any]:
        """Keep a new user or group, with all that follows."""
        with self._write() as session:
            row: Row
            if resource_type.name == USER:
                row = create_user(session, self._store, user_profile(resource))
            else:
                row = create_group(session, self._store, group_profile(resource))
            return self._resources(session, [row])[0]

    def update(
        self, resource_type: ResourceType, resource: Resource[Any], *, expected_version: str | None = None
    ) -> Resource[Any]:
        """Replace a user or group, with all that follows."""
        with self._write() as session:
            row = self._existing(session, resource_type, resource.id, expected_version)
            if isinstance(row, DirectoryUser):
                update_user(session, self._store, row, user_profile(resource))
            else:
                update_group(session, self._store, row, group_profile(resource))
            return self._resources(session, [row], with_members=self._answers_members)[0]

    def delete(
        self, resource_type: ResourceType, resource_id: str, *, expected_version: str | None = None
    ) -> None:
        """Forget a user or group, with all that follows."""
        with self._write() as session:
            row = self._existing(session, resource_type, resource_id, expected_version)
            if isinstance(row, DirectoryUser):
                delete_user(session, self._store, row)
            else:
                delete_group(session, self._store, row)

    @contextmanager
    def _write(self) -> Iterator[Write]:
        with (
            _translated(),
            self._store.allowed_write(
                self._actor, self._organization_id, Permission.MANAGE_MEMBERS
            ) as session,
        ):
            yield session

    def _existing(
        self,
        session: Session,
        resource_type: ResourceType,
        resource_id: str | None,
        expected_version: str | None = None,
    ) -> Row:
        find = existing_user if resource_type.name == USER else existing_group
        row = find(session, self._organization_id, resource_id)
        if expected_version is not None and expected_version != f'W/"{row.version}"':
            raise PreconditionFailedException(
                detail="the resource has changed since; read it again and repeat the change"
            )
        return row

    def _page(
        self,
        session: Session,
        resource_type: ResourceType,
        request: SearchRequest[Any],
        ordered: tuple[Any, ...],
        with_members: bool,
    ) -> SearchPage:
        table = TABLES[str(resource_type.name)]
        own = table.organization_id == self._organization_id
        total = session.scalar(select(func.count()).select_from(table).where(own)) or 0
        rows: Sequence[Row] = ()
        if request.count != 0:
            statement = select(table).where(own).order_by(*ordered).offset(request.start_index_0 or 0)
            rows = session.scalars(statement.limit(request.count)).all()
        return SearchPage(total, self._resources(session, rows, with_members=with_members))

    def _matching(
        self,
        session: Session,
        resource_type: ResourceType,
        request: SearchRequest[Any],
        with_members: bool,
    ) -> list[Resource[Any]]:
        kind, model = str(resource_type.name), self._model(str(resource_type.name))
        table = TABLES[kind]
        statement = select(table).where(table.organization_id == self._organization_id)
        kept = None
        if request.filter is not None:
            kept = parametrize(ScimFilter, model)(str(request.filter))
            narrowed = condition(kind, model, kept.ast)
            if narrowed is not None:
                statement = statement.where(narrowed)
        rows: Sequence[Row] = session.scalars(statement.order_by(table.id)).all()
        resources = self._resources(session, rows, with_members=with_members)
        return [one for one in resources if kept is None or kept.match(one)]

    def _resources(
        self, session: Session, rows: Sequence[Row], *, with_members: bool = True
    ) -> list[Resource[Any]]:
        """The resources of rows of one kind, with two queries for all of them."""
        if not rows:
            return []
        ids = [row.id for row in rows]
        if isinstance(rows[0], DirectoryUser):
            groups = _groups_of(session, ids)
            model = self._model(USER)
            return [
                user_resource(model, row, groups.get(row.id, ()))
                for row in rows
                if isinstance(row, DirectoryUser)
            ]
        members = _by_group(members_of(session, ids)) if with_members else {}
        model = self._model("Group")
        return [
            group_resource(model, row, members.get(row.id, ()))
            for row in rows
            if isinstance(row, DirectoryGroup)
        ]

    def _model(self, kind: str) -> type[Resource[Any]]:
        found = self._provider.model_for(kind)
        assert found is not None
        return cast(type[Resource[Any]], found)


def _groups_of(session: Session, user_ids: Sequence[str]) -> dict[str, list[DirectoryGroup]]:
    found = session.execute(
        select(DirectoryGroupMember.member_id, DirectoryGroup)
        .join(DirectoryGroup, DirectoryGroup.id == DirectoryGroupMember.group_id)
        .where(among(session, DirectoryGroupMember.member_id, user_ids))
        .order_by(DirectoryGroup.id)
    )
    groups: dict[str, list[DirectoryGroup]] = {}
    for user_id, group in found:
        groups.setdefault(user_id, []).append(group)
    return groups


def _by_group(rows: Sequence[DirectoryGroupMember]) -> dict[str, list[DirectoryGroupMember]]:
    members: dict[str, list[DirectoryGroupMember]] = {}
    for row in rows:
        members.setdefault(row.group_id, []).append(row)
    return members


def _keeps(parameters: ResponseParameters[Any], attribute: str) -> bool:
    """Whether an answer with these parameters has the attribute or a part of it."""

    def named(paths: Sequence[Path[Any]] | None) -> bool:
        tails = (str(path).rpartition(":")[2].lower() for path in paths or ())
        return any(tail.partition(".")[0] == attribute for tail in tails)

    if parameters.attributes:
        return named(parameters.attributes)
    whole = (str(path).rpartition(":")[2].lower() for path in parameters.excluded_attributes or ())
    return attribute not in whole


def _names(request: SearchRequest[Any], attribute: str) -> bool:
    return attribute in f"{request.filter or ''} {request.sort_by or ''}".lower()


@contextmanager
def _translated() -> Iterator[None]:
    """Raise errors of the control database as the library knows them."""
    try:
        yield
    except control.NotFound as error:
        raise NotFoundException(detail=str(error)) from error
    except control.AlreadyExists as error:
        raise UniquenessException(detail=str(error)) from error
    except (control.NotAllowed, control.NotPossible) as error:
        raise ForbiddenException(detail=str(error)) from error
    except control.InvalidSetting as error:
        raise InvalidValueException(detail=str(error)) from error
