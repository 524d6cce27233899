"""What every page of an organization has around its content: navigation, the one who looks, and the state of the data.

Keep out: the content of a page (its own module), templates.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import date
from typing import Any
from urllib.parse import quote, urlsplit

from fastapi import Request
from starlette.responses import Response

from api.http.inner_requests import inner_client
from api.services import Services, services
from api.web.cookies import form_token, session_of
from api.web.reading import FORBIDDEN, UNAUTHENTICATED, Answer, OrganizationReader, Reader
from api.web.rendering import page, to_sign_in

NAVIGATION = (
    ("overview", "Overview"),
    ("developers", "People"),
    ("repositories", "Repositories"),
    ("commits", "Commits"),
)


@dataclass(frozen=True, slots=True)
class Place:
    """An organization that somebody looks at."""

    request: Request
    reads: OrganizationReader
    organization: dict[str, Any]
    person: dict[str, Any]
    root: str
    session: str

    @property
    def today(self) -> date:
        """The day of the data; before the first build the present one."""
        as_of = self.organization["asOf"]
        return date.fromisoformat(as_of[:10]) if as_of else services(self.request).store.now().date()

    async def show(
        self, template: str, current: str, title: str, status: int = 200, **content: Any
    ) -> Response:
        """The page in its frame. `current` is the item of the navigation that it belongs to."""
        return page(
            template,
            status,
            title=title,
            current=current,
            navigation=NAVIGATION,
            organization=self.organization,
            person=self.person,
            root=self.root,
            home=f"{self.root}/organizations/{quote(self.organization['slug'], safe='')}",
            form_token=form_token(services(self.request), self.session),
            **content,
        )

    async def refuse(self, current: str, title: str, answer: Answer) -> Response:
        """The reason why a page has no content, in place of it."""
        return await self.show("refused.html", current, title, answer.status, answer=answer)


Content = Callable[[Place], Awaitable[Response]]


async def framed(request: Request, organization: str, content: Content) -> Response:
    """The page that `content` makes for the person whose session the browser holds; without one, the way to sign in."""
    app = services(request)
    session = session_of(app, request)
    if not session:
        return to_sign_in(request, root_of(app))
    async with inner_client(request, f"Bearer {session}") as client:
        reads = Reader(client).of(organization)
        found, person = await reads.all(reads.read(), reads.read("me"))
        if found.status == UNAUTHENTICATED:
            return to_sign_in(request, root_of(app))
        if not found.is_there:
            return page(
                "alone.html",
                found.status,
                root=root_of(app),
                title="No such organization" if found.status != FORBIDDEN else "Not open to you",
                message=found.message,
            )
        place = Place(request, reads, found.body, person.body or {}, root_of(app), session)
        return await content(place)


def root_of(app: Services) -> str:
    """The path of the service below its host, without a slash at the end."""
    return urlsplit(app.app_url).path.rstrip("/")
