"""The answers that every page of an organization begins with, remembered for a person while nothing changes them.

They are the organization, the person, open checks, plan, connections, license and the health of sources. To read them
anew took half of the processor time of a page. Keep out: what the frame shows of them (frame.py).
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import cast

from fastapi import Request
from sqlalchemy import Engine

from api.control.database import ChangeCounter
from api.services import Services, services
from api.web.reading import Answer

STATE = "frame_answers"
MAX_AGE = timedelta(seconds=10)
"""What time alone changes, such as the end of a trial or of a snooze, is at most this late."""
MAX_KEPT = 1000

Around = tuple[Answer, Answer, Answer, Answer, Answer, Answer | None, Answer | None]
"""Organization, person, open checks, plan, connections, the license where the deployment needs one, and the health of
sources for somebody who may not see connections."""


@dataclass(frozen=True, slots=True)
class _Kept:
    around: Around
    organization_id: str
    build: str
    version: object
    at: datetime


class FrameAnswers:
    """Answers by session and organization. They hold until a commit of the control database or a new build.

    On PostgreSQL, which does not tell of commits, none are kept.
    """

    def __init__(self, engine: Engine) -> None:
        self._changes = ChangeCounter(engine)
        self._kept: dict[tuple[str, str], _Kept] = {}

    async def of(
        self, request: Request, session: str, organization: str, read: Callable[[], Awaitable[Around]]
    ) -> Around:
        """The answers for a session and an organization, by its id or slug; `read` asks for them."""
        app, key = services(request), (session, organization)
        # Before the reads: a commit during them makes the answers stale.
        version, now = self._changes.version(), app.store.now()
        kept = self._kept.get(key)
        if kept is not None and self._holds(app, kept, version, now):
            await app.authenticator.caller(f"Bearer {session}")
            return kept.around
        self._kept.pop(key, None)
        around = await read()
        found, builds = around[0], {one.build for one in around if one is not None and one.build}
        # Of two builds, one was replaced during the reads.
        if found.is_there and len(builds) == 1:
            while len(self._kept) >= MAX_KEPT:
                self._kept.pop(next(iter(self._kept)))
            self._kept[key] = _Kept(around, found.body["id"], min(builds), version, now)
        return around

    def _holds(self, app: Services, kept: _Kept, version: object, now: datetime) -> bool:
        is_young = timedelta() <= now - kept.at <= MAX_AGE
        builds = app.reads.warehouse.of(kept.organization_id)
        return is_young and kept.version == version and builds.is_current(kept.build)

    def close(self) -> None:
        """Release the connection that watches the database."""
        self._changes.close()


def frame_answers(request: Request) -> FrameAnswers:
    """The answers that the server of the request remembers."""
    return cast(FrameAnswers, getattr(request.state, STATE))
