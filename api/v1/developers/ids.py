"""Current and former ids of a developer: the control database keeps rows under the id of their time.

Keep out: ids in a build (read/identities.py), the rows (control/).
"""

from collections.abc import Callable

from anyio.to_thread import run_sync

from api.access.row_access import RowAccess
from api.control.store import ControlStore
from api.errors import FailedPrecondition
from api.read.identities import ids_of, is_visible
from api.services import Services
from api.snapshot.build import Build


async def known_ids(app: Services, organization_id: str, *developers: str) -> tuple[str, ...]:
    """All ids under which these developers can have rows: merges join the rows of several ids."""
    whole = RowAccess(organization_id)

    def read(build: Build) -> tuple[str, ...]:
        return tuple(dict.fromkeys(one for key in developers for one in ids_of(build, whole, key)))

    try:
        return await app.reads.value(whole, read)
    except FailedPrecondition:
        # Before the first build only the control database knows ids.
        return developers


async def asked_ids(
    app: Services,
    access: RowAccess,
    developer: str,
    is_named: Callable[[ControlStore, tuple[str, ...]], bool],
) -> tuple[str, ...]:
    """Like `known_ids`, for the developer in a query.

    Raises the error of `RowAccess.unknown` for a developer that neither the newest build nor the control database
    (`is_named`) shows to the caller.
    """
    ids, is_shown = await _found(app, access, developer)
    if not is_shown and not await run_sync(is_named, app.store, ids):
        raise access.unknown(f"developer {developer!r}")
    return ids


async def _found(app: Services, access: RowAccess, developer: str) -> tuple[tuple[str, ...], bool]:
    whole, key = RowAccess(access.organization_id), developer.lower()

    def read(build: Build) -> tuple[tuple[str, ...], bool]:
        return ids_of(build, whole, key), is_visible(build, access, key)

    try:
        return await app.reads.value(whole, read)
    except FailedPrecondition:
        return (key,), False
