"""The target of a correction in the newest build."""

from api.access.row_access import RowAccess
from api.access.self_identity import known_developer
from api.control.commits.corrections import CorrectionTarget
from api.control.commits.exclusions import NamedCommit
from api.control.identities.known_developers import KnownDeveloper
from api.control.visibility import address_key
from api.errors import FailedPrecondition, InvalidArgument, NotFound
from api.query.conditions import one_of
from api.read.commits.commits import named_commits
from api.read.commits.hashes import commit_id, unknown_commit
from api.read.identities import known_developers
from api.snapshot.build import Build


def own_self(build: Build, own: RowAccess) -> KnownDeveloper:
    """The developer that the caller is. Raises FailedPrecondition without one."""
    return known_developers(build, own, [known_developer(build, own)])[0]


def visible_commit(build: Build, access: RowAccess, wanted: str) -> NamedCommit:
    """A commit of the access, as `commit_id` takes it. Raises its errors, NotFound, PermissionDenied."""
    known = commit_id(build, access, wanted)
    found = named_commits(build, access, [known])
    if known not in found:
        raise unknown_commit(access, wanted)
    return commit_of(found[known])


def corrected_commit(build: Build, whole: RowAccess, requested: CorrectionTarget) -> NamedCommit:
    """The commit of a correction. Raises NotFound when the build no longer has it."""
    wanted = requested.commit_id or ""
    found = named_commits(build, whole, [wanted])
    if wanted not in found:
        raise NotFound(f"no commit {requested.commit_sha!r} in this organization")
    return commit_of(found[wanted])


def commit_of(row: dict[str, str | None]) -> NamedCommit:
    """The row of a commit as decisions about it need it."""
    return NamedCommit(
        id=str(row["commit_id"]),
        sha=str(row["commit_sha"]),
        repository_id=str(row["repository_id"]),
        subject=str(row["subject"]),
        zero_reason=row["zero_reason"],
    )


def own_addresses(developer: KnownDeveloper, email: str) -> list[str]:
    """Ids of the addresses of a developer that equal this one, with any name. Raises InvalidArgument without one."""
    found = [one.id for one in developer.addresses if one.email.casefold() == email.strip().casefold()]
    if not found:
        raise InvalidArgument("email", f"{email!r} is not among your addresses; `…/me` lists them")
    return found


def both_of(build: Build, whole: RowAccess, requested: CorrectionTarget) -> list[KnownDeveloper]:
    """The author of a correction and the developer of the address. Raises FailedPrecondition for an unknown or
    already own address.
    """
    key = address_key(whole.organization_id, requested.email or "")
    table, has_it = whole.table(build, "developer_identities"), one_of("own_developer_id", [key]).sql
    rows = build.rows(f"select developer_id from {table} where {has_it}")
    if not rows:
        raise FailedPrecondition(
            f"not exactly one developer has the address {requested.email!r}; reject the correction, or merge the right "
            "developers with …/developers:merge"
        )
    [author] = known_developers(build, whole, [requested.developer_id])
    other = str(rows[0]["developer_id"])
    if other == author.id:
        raise FailedPrecondition(
            f"{requested.developer_name!r} already has the address {requested.email!r}; reject the correction"
        )
    return [author, *known_developers(build, whole, [other])]


def taken_out(
    build: Build, whole: RowAccess, requested: CorrectionTarget
) -> tuple[KnownDeveloper, list[str]]:
    """The developer to split, and the ids of the address. Raises NotFound, InvalidArgument."""
    developer = known_developers(build, whole, [requested.developer_id])[0]
    return developer, own_addresses(developer, requested.email or "")
