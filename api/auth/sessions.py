"""`/auth/signIn`, `/auth/signOut` and the list of sessions."""

from datetime import datetime
from typing import Annotated

from anyio.to_thread import run_sync
from fastapi import APIRouter, Path, Request
from pydantic import Field, SecretStr
from starlette.responses import Response

from api.auth.allowances import sign_in_tries
from api.auth.shapes import Email, Password, SignedInAccount, refuse_without_passwords, shown_account
from api.callers.dependencies import Account, Anybody, SessionHolder
from api.control.accounts import accounts, invitations, root_logins, sessions, throttles
from api.control.accounts.accounts import AccountRecord
from api.control.accounts.sessions import MAX_DEVICE_LENGTH, NewSession, SessionRecord
from api.control.errors import ControlError
from api.http.parameters import NoQuery
from api.http.responses import private
from api.query.fields import Stored
from api.query.records import shown
from api.services import Services, services
from api.shapes import Empty, Shape

router = APIRouter(tags=["sessions"])

Device = Annotated[
    str,
    Field(
        max_length=MAX_DEVICE_LENGTH,
        description="Name of this device in the list of sessions; default: the User-Agent.",
        examples=["Ada's laptop"],
    ),
]

SignInOrganization = Annotated[
    str | None,
    Field(
        max_length=63,
        description="Id or slug of the organization for whose members the sign-in page is, as in `/auth/options`.",
        examples=[None],
    ),
]


class SignIn(Shape):
    """Credentials of an account."""

    email: Email
    password: Password
    device: Device = ""
    organization: SignInOrganization = None
    invitation: Annotated[
        SecretStr | None,
        Field(max_length=200, description="The part after the `#` of an invitation's link, to accept it."),
    ] = None


class InvitationOutcome(Shape):
    """The outcome of an invitation from the sign-in request."""

    is_accepted: bool = Field(description="true: the account joined the organization.")
    problem: str | None = Field(
        description="The reason for not accepting the invitation; null when accepted. The session is valid in "
        "both cases."
    )


class SignedIn(Shape):
    """A session."""

    token: str = Field(
        description="For `Authorization: Bearer …`. Only this answer contains it.", examples=["session_…"]
    )
    session_id: Annotated[str, Stored("session.id")]
    expires_at: Annotated[datetime, Stored("session.expires_at")]
    active_organization_id: Annotated[str | None, Stored("session.active_organization_id")] = Field(
        description="The active organization of the session."
    )
    account: SignedInAccount
    invitation: InvitationOutcome | None = Field(
        description="The outcome of the invitation in the request; null without one."
    )


class ListedSession(Shape):
    """A signed-in device."""

    id: str
    device: str = Field(examples=["Ada's laptop"])
    is_current: bool = Field(description="The current session.")
    active_organization_id: str | None
    created_at: datetime
    last_used_at: datetime = Field(description="The last use, accurate to the minute.")
    expires_at: datetime


class Sessions(Shape):
    """All sessions of the account."""

    sessions: list[ListedSession]


def shown_sign_in(
    made: NewSession,
    account: AccountRecord,
    invitation: dict[str, object] | None = None,
    *,
    is_restricted: bool = False,
) -> dict[str, object]:
    """A session just begun, as JSON."""
    shown_to = shown_account(account, is_restricted=is_restricted)
    return shown(SignedIn, made, account=shown_to, invitation=invitation)


@router.post("/signIn", summary="Sign in", response_model=SignedIn)
async def sign_in(_: Anybody, body: SignIn, request: Request, _query: NoQuery) -> Response:
    """Create a session for 30 days. Wrong passwords are rate-limited: RESOURCE_EXHAUSTED with `Retry-After`.

    Answers PERMISSION_DENIED where the organization of the request accepts only identity providers for this address;
    owners are exempt. Without one the session begins, and organizations that do not accept it stay shut.
    FAILED_PRECONDITION: this deployment takes no passwords.
    """
    app = services(request)
    refuse_without_passwords(app)
    tries = sign_in_tries(request, body.email)
    await run_sync(throttles.take, app.store, *tries)
    device = body.device or request.headers.get("user-agent", "")
    account, made = await app.hashed(
        lambda: accounts.sign_in(
            app.store, app.passwords, body.email, body.password.get_secret_value(), device, body.organization
        )
    )
    await run_sync(throttles.give_back, app.store, *tries)
    if body.invitation is None:
        return private(shown_sign_in(made, account))
    return private(await accept_with(app, made, account, body.invitation.get_secret_value()))


async def accept_with(
    app: Services, made: NewSession, account: AccountRecord, token: str, *, is_restricted: bool = False
) -> dict[str, object]:
    """A session just begun, as JSON, after it accepted an invitation or not: it is valid in both cases."""
    active, problem = made.session.active_organization_id, None
    try:
        caller = await app.authenticator.caller(f"Bearer {made.token}")
        joined = await run_sync(invitations.accept_invitation, app.store, caller, token)
        active = joined.organization_id
    except ControlError as error:
        problem = str(error)
    outcome: dict[str, object] = {"isAccepted": problem is None, "problem": problem}
    begun = shown_sign_in(made, account, outcome, is_restricted=is_restricted)
    return begun | {"activeOrganizationId": active}


@router.post("/signOut", summary="Sign out", response_model=Empty)
async def sign_out(caller: SessionHolder, request: Request, _query: NoQuery) -> Response:
    """End the current session, of an account or of a root login."""
    if caller.root is not None:
        store, login = services(request).store, caller.root.login_id
        await run_sync(lambda: root_logins.leave(store, login, caller, ends=True))
        return private({})
    assert caller.account_id is not None
    assert caller.session_id is not None
    await run_sync(sessions.end_session, services(request).store, caller.account_id, caller.session_id)
    return private({})


@router.post("/signOutEverywhere", summary="Sign out everywhere", response_model=Empty)
async def sign_out_everywhere(caller: Account, request: Request, _query: NoQuery) -> Response:
    """End all sessions of the account, including the current one. API keys stay valid."""
    assert caller.account_id is not None
    await run_sync(sessions.end_all_sessions, services(request).store, caller.account_id)
    return private({})


@router.get("/sessions", summary="Sessions", response_model=Sessions)
async def list_sessions(caller: Account, request: Request, _query: NoQuery) -> Response:
    """The signed-in devices of the account, newest first."""
    assert caller.account_id is not None
    found = await run_sync(sessions.list_sessions, services(request).store, caller.account_id)
    return private({"sessions": [_shown(one, caller.session_id) for one in found]})


@router.delete("/sessions/{session}", summary="End a session", response_model=Empty)
async def delete_session(
    caller: Account,
    session: Annotated[str, Path(max_length=64, description="Id of the session.")],
    request: Request,
    _query: NoQuery,
) -> Response:
    """Sign out one device."""
    assert caller.account_id is not None
    await run_sync(sessions.end_session, services(request).store, caller.account_id, session)
    return private({})


def _shown(session: SessionRecord, current: str | None) -> dict[str, object]:
    return shown(ListedSession, session, is_current=session.id == current)
