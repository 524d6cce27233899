"""What every page of an organization has around its content: navigation, the one who looks, and the state of the data.

Keep out: the content of a page (its own module), templates.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit
from zoneinfo import ZoneInfo

from fastapi import Request
from starlette.responses import RedirectResponse, Response

from api.control.permissions import ADMINISTRATORS, Permission, Role, allows
from api.errors import InvalidArgument, Unauthenticated
from api.http.inner_requests import inner_client
from api.operator.settings import DeploymentKind, operator_settings
from api.services import Services, services
from api.web.banners import Banner, banners
from api.web.drawing.forms import Act, Sent, fields_of
from api.web.drawing.health import MOST_CONNECTIONS, NOTHING_LACKS, Lacking, lacking
from api.web.drawing.periods import carried
from api.web.drawing.rendering import page, to_sign_in
from api.web.drawing.terms import terms_of
from api.web.frame_answers import Around, frame_answers
from api.web.navigation import READING, RUNNING, item_of, offered
from api.web.reading import FORBIDDEN, UNAUTHENTICATED, Answer, OrganizationReader, Reader
from api.web.sessions.cookies import form_token, is_root, refuse_forged, session_of


@dataclass(frozen=True, slots=True)
class Place:
    """An organization that somebody looks at."""

    request: Request
    reads: OrganizationReader
    organization: dict[str, Any]
    person: dict[str, Any]
    root: str
    session: str
    connections: Answer
    """The first connections of the organization; none where the person may not see them."""
    banners: tuple[Banner, ...] = ()
    open_checks: int | None = None
    """Open occurrences of checks that the person may see; None where they may see none at all."""
    lacking: Lacking = NOTHING_LACKS
    """What figures lack because connections fail."""
    acts: Mapping[str, Act] = field(default_factory=dict)
    """What the forms of the page do, by name."""
    sent: Sent | None = None
    """The form that the interface refused."""
    made: Answer | None = None
    """The answer to the form that shows one."""
    answered: Sent | None = None
    """That form."""
    said: str = ""
    """What the last form did, in more detail than the sentence of its act."""

    @property
    def today(self) -> date:
        """The day of the data; before the first build the present one."""
        as_of = self.organization["asOf"]
        return date.fromisoformat(as_of[:10]) if as_of else services(self.request).store.now().date()

    @property
    def build(self) -> str:
        """Id of the build that the page is read from; empty before the first one."""
        return self.reads.reader.client.builds.get(self.organization["id"], "")

    @property
    def home(self) -> str:
        """The address of the organization's pages, without a slash at the end."""
        return f"{self.root}/organizations/{quote(self.organization['slug'], safe='')}"

    @property
    def here(self) -> str:
        """The address of this page, to which its forms go back."""
        url = self.request.url
        kept = urlencode([(name, value) for name, value in parse_qsl(url.query) if name not in (DONE, OF)])
        return f"{url.path}?{kept}" if kept else url.path

    def may(self, permission: Permission) -> bool:
        """Whether the person has a permission, so that the page offers what needs it. Root has an owner's role."""
        role = Role.OWNER.name if is_root(self.session) else self.person.get("role")
        return isinstance(role, str) and role in Role.__members__ and allows(permission, Role[role])

    def opens(self, permission: Permission) -> bool:
        """Whether pages that need a permission are offered. A platform admin, who is no member, is offered all."""
        return self.person.get("role") is None or self.may(permission)

    @property
    def manages(self) -> bool:
        """Whether the person is an owner or admin, so that the page has the forms that they may send."""
        return is_root(self.session) or self.person.get("role") in ADMINISTRATING

    @property
    def sees_part(self) -> bool:
        """Whether the person sees a part of the work: a lead reads the figures of the led teams alone."""
        return self.person.get("role") == Role.TEAM_LEAD.name

    @property
    def whose(self) -> str:
        """The owners of the work in the figures of the pages, in words."""
        return "the teams that you lead" if self.sees_part else "the organization"

    @property
    def scope(self) -> str:
        """What a headline about figures begins with; empty where they are of the whole organization."""
        return f"Of {self.whose}: " if self.sees_part else ""

    def all_of(self, noun: str) -> str:
        """All things of a kind that lists of the person have, in words."""
        return f"the {noun} whose work you see" if self.sees_part else f"all {noun}"

    @property
    def done_to(self) -> str:
        """The id of what the last form was about, where its act names it; else empty."""
        done = self.acts.get(self.request.query_params.get(DONE, ""))
        return self.request.query_params.get(OF, "") if done and done.names and self.sent is None else ""

    @property
    def notice(self) -> str:
        """What the last form did, as the address says."""
        done = self.acts.get(self.request.query_params.get(DONE, ""))
        return self.said or done.done if done is not None and self.sent is None else ""

    async def show(
        self, template: str, current: str, title: str, status: int = 200, **content: Any
    ) -> Response:
        """The page in its frame. `current` is the page of the navigation that it is or belongs to.

        Browsers keep no page with the answer of a form, which may be a secret.
        """
        item = item_of(current)
        shown = page(
            template,
            self.sent_status(status),
            title=title,
            terms=terms_of(template),
            current=current,
            item=item,
            tabs=[tab for one in offered((item,), self.opens) for tab in one.pages],
            # Days of the audit log are no range of figures.
            carried={} if item in RUNNING else carried(self.request.query_params),
            reading=offered(READING, self.opens),
            running=offered(RUNNING, self.opens),
            organization=self.organization,
            person=self.person,
            root=self.root,
            home=self.home,
            here=self.here,
            is_root=is_root(self.session),
            manages=self.manages,
            sees_part=self.sees_part,
            scope=self.scope,
            notice=self.notice,
            banners=self.banners,
            open_checks=self.open_checks,
            lacking=self.lacking,
            told_of_failures=self._tells_of_failures(current, template),
            sent=self.sent,
            made=self.made,
            form_token=form_token(services(self.request), self.session),
            **content,
        )
        if self.made is not None:
            shown.headers["Cache-Control"] = "no-store"
        return shown

    def _tells_of_failures(self, current: str, template: str) -> bool:
        """Whether the frame of a page says that connections fail: above figures that do not say it themselves."""
        if template == REFUSED or item_of(current) in RUNNING:
            return False
        # A page that names connections has none to name for who may not see them.
        return current not in WITHOUT_FAILURES and (current not in NAMING_FAILURES or not self.lacking.named)

    def sent_status(self, status: int) -> int:
        """The status of the page: that of a refused form, which a page without a fault of its own shows."""
        return 422 if self.sent is not None and status == 200 else status

    async def refuse(self, current: str, title: str, answer: Answer) -> Response:
        """The reason why a page has no content, in place of it."""
        return await self.show(REFUSED, current, title, answer.status, answer=answer)


DONE, OF = "done", "of"
"""The parameters of an address that name the act that led to it, and what it was about."""
REFUSED = "refused.html"
WITHOUT_FAILURES = frozenset({"manage", "checkKinds"})
"""Pages of reading without figures of what happened."""
NAMING_FAILURES = frozenset({"capex"})
"""Pages of figures that name themselves the connections that fail."""
ADMINISTRATING = frozenset(role.name for role in ADMINISTRATORS)
Content = Callable[[Place], Awaitable[Response]]


async def framed(
    request: Request, organization: str, content: Content, acts: Mapping[str, Act] | None = None
) -> Response:
    """The page that `content` makes for the person whose session the browser holds; without one, the way to sign in."""
    app = services(request)
    session = session_of(app, request)
    if not session:
        return to_sign_in(request, root_of(app))
    reads = Reader(inner_client(request, f"Bearer {session}")).of(organization)
    try:
        found, person, checks, plan, connections, license_, sources = await frame_answers(request).of(
            request, session, organization, lambda: _around(reads)
        )
    except Unauthenticated:
        return to_sign_in(request, root_of(app))
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
    read_from = next((one.build for one in (found, person, checks, plan) if one.build), "")
    if read_from:
        reads.reader.client.builds.setdefault(found.body["id"], read_from)
    # Root has an owner's role in the organization that it is in, and none elsewhere.
    who = person.body or {"email": None, "role": None}
    place = Place(
        request,
        reads,
        found.body,
        who,
        root_of(app),
        session,
        connections,
        tuple(banners(who.get("role"), plan, license_, app.store.now(), ZoneInfo(found.body["timeZone"]))),
        checks.body["totalSize"] if checks.is_there else None,
        lacking(connections, sources),
        acts or {},
    )
    return await content(place)


async def _around(reads: OrganizationReader) -> Around:
    """What every page begins with, read all at once, so that none adds to the wait."""
    asked = [
        reads.read(),
        reads.read("me"),
        reads.read("checkOccurrences", status="OPEN", pageSize=1),
        reads.read("plan"),
        reads.read("connections", pageSize=MOST_CONNECTIONS),
    ]
    if operator_settings().deployment is DeploymentKind.SELF_HOSTED:
        asked.append(reads.reader.read("/api/v1/license"))
    found, person, checks, plan, connections, *license_ = await reads.all(*asked)
    sources = await reads.read("sourceHealth") if connections.status == FORBIDDEN else None
    return found, person, checks, plan, connections, license_[0] if license_ else None, sources


async def submitted(
    request: Request, organization: str, acts: Mapping[str, Act], content: Content
) -> Response:
    """Do what a form asks for, and come back to the page.

    Where the interface refuses, the page has the form with the reason. Raises PermissionDenied for a forged form, and
    InvalidArgument for an act that the page does not have.
    """
    app = services(request)
    session = session_of(app, request)
    if not session:
        return to_sign_in(request, root_of(app))
    fields = await fields_of(request)
    refuse_forged(app, request, session, fields.get("token", ""))
    name = fields.get("act", "")
    if name not in acts:
        raise InvalidArgument("act", "is none of this page; open the page again")

    async def acted(place: Place) -> Response:
        act = acts[name]
        try:
            body = act.body(fields)
        except InvalidArgument as refused:
            return await content(replace(place, sent=Sent(name, fields, refused.message)))
        answer = await place.reads.write(act.method, act.address(fields), body)
        if not answer.is_there:
            return await content(replace(place, sent=Sent(name, fields, answer.message, answer.problems)))
        if act.shows:
            return await content(replace(place, made=answer, answered=Sent(name, fields)))
        told = {DONE: name} | ({OF: fields[act.names]} if act.names else {})
        back = f"{place.here}{'&' if '?' in place.here else '?'}{urlencode(told)}"
        return RedirectResponse(back, 303, headers={"Cache-Control": "no-store"})

    return await framed(request, organization, acted, acts)


def root_of(app: Services) -> str:
    """The path of the service below its host, without a slash at the end."""
    return urlsplit(app.app_url).path.rstrip("/")
