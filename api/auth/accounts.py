"""`/auth/signUp`, `/auth/account` and the verification of its address."""

from typing import Annotated

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from pydantic import Field, SecretStr
from sqlalchemy.orm import Session
from starlette.responses import Response

from api.auth.allowances import (
    LINKS_FROM_HERE,
    SIGN_UP_FROM_HERE,
    SIGN_UP_OF_ONE,
    VERIFICATION_OF_ONE,
    sign_in_tries,
)
from api.auth.sessions import Device, SignedIn, SignInOrganization, shown_sign_in
from api.auth.shapes import (
    Email,
    LinkToken,
    Password,
    SignedInAccount,
    refuse_without_passwords,
    shown_account,
)
from api.callers.dependencies import Account, Anybody, Person
from api.control.accounts import accounts, sessions, throttles, verification
from api.control.accounts.account_names import MAX_NAME_LENGTH
from api.control.accounts.accounts import email_key
from api.control.accounts.links import Purpose
from api.control.accounts.passwords import MAX_LENGTH
from api.control.accounts.throttles import Try
from api.control.errors import InvalidSetting, NotAllowed, WeakPassword
from api.errors import Unauthenticated
from api.http.client_networks import client_network
from api.http.parameters import Mask, NoQuery, Queried
from api.http.responses import private
from api.services import services
from api.shapes import Empty, Shape

router = APIRouter(tags=["accounts"])


Name = Annotated[str, Field(max_length=MAX_NAME_LENGTH, examples=["Ada Lovelace"])]


class SignUp(Shape):
    """A new account."""

    email: Email
    password: Password
    name: Name
    device: Device = ""
    organization: SignInOrganization = None


class AccountChange(Shape):
    """Changes to the caller's account."""

    name: Name


class Verification(Shape):
    """A mailed link, with the password of the account unless its session sends the request."""

    token: LinkToken
    password: Annotated[
        SecretStr | None,
        Field(max_length=MAX_LENGTH, description="The password of the account; not needed with its session."),
    ] = None


@router.post("/signUp", summary="Sign up", response_model=SignedIn)
async def sign_up(_: Anybody, body: SignUp, request: Request, _query: NoQuery) -> Response:
    """Create an account and sign it in. The service mails a link that verifies the address.

    Answers ALREADY_EXISTS for a registered address, a few times: attempts are limited by address and by network, as for
    a password reset. For a weak password, the error lists every rule that it breaks.
    """
    app = services(request)
    refuse_without_passwords(app)
    of_one = Try(SIGN_UP_OF_ONE, email_key(body.email))
    await run_sync(throttles.take, app.store, Try(SIGN_UP_FROM_HERE, client_network(request)), of_one)
    device = body.device or request.headers.get("user-agent", "")
    begun: list[sessions.NewSession] = []

    def begin(session: Session, account_id: str) -> None:
        begun.append(sessions.begin_session(app.store, account_id, device, within=session))

    try:
        made = await app.hashed(
            lambda: accounts.sign_up(
                app.store,
                app.passwords,
                body.email,
                body.password.get_secret_value(),
                body.name,
                organization=body.organization,
                first=begin,
            )
        )
    except (WeakPassword, InvalidSetting, NotAllowed):
        # Tells nothing about the address.
        await run_sync(throttles.give_back, app.store, of_one)
        raise
    app.mail.wake()
    return private(shown_sign_in(begun[-1], made))


@router.get("/account", summary="The signed-in account", response_model=SignedInAccount)
async def get_account(caller: Person, request: Request, _query: NoQuery) -> Response:
    """The account of the session. For its organizations, use `/api/v1/organizations`."""
    assert caller.account_id is not None
    found = await run_sync(accounts.account, services(request).store, caller.account_id)
    return private(shown_account(found, is_restricted=caller.only_organization_id is not None))


@router.patch("/account", summary="Change your name", response_model=SignedInAccount)
async def update_account(
    caller: Account, body: AccountChange, _: Queried[Mask[AccountChange]], request: Request
) -> Response:
    """Change the name of the account. Lists of members show it in every organization of the account, and the audit
    log of each organization records the change.

    The email address does not change. Figures show the name of the developer instead; an admin sets it at
    `…/developers/{developer}`.
    """
    store = services(request).store
    return private(shown_account(await run_sync(accounts.rename_account, store, caller, body.name)))


@router.post("/requestEmailVerification", summary="Request a verification mail", response_model=Empty)
async def request_email_verification(caller: Account, request: Request, _query: NoQuery) -> Response:
    """Mail another link to the account's address. Answers FAILED_PRECONDITION when the address is verified already."""
    app = services(request)
    assert caller.account_id is not None
    await run_sync(throttles.take, app.store, Try(VERIFICATION_OF_ONE, caller.account_id))
    await run_sync(verification.request_verification, app.store, caller.account_id)
    app.mail.wake()
    return private({})


@router.post("/verifyEmail", summary="Verify an address", response_model=SignedInAccount)
async def verify_email(_: Anybody, body: Verification, request: Request, _query: NoQuery) -> Response:
    """Verify the address with a mailed link and the password of the account, or the session of the account in
    `Authorization`: the link may have reached somebody whose address another person signed up with.

    Answers FAILED_PRECONDITION for a used, expired or unknown link, and for a wrong password, which does not use the
    link up. Wrong passwords are rate-limited as for signing in.
    """
    app, token = services(request), body.token.get_secret_value()
    await run_sync(throttles.take, app.store, Try(LINKS_FROM_HERE, client_network(request)))
    email = (await run_sync(verification.of_link, app.store, Purpose.VERIFICATION, token)).email
    signed_in = await _signed_in(request)
    password = body.password.get_secret_value() if body.password is not None else None
    tries = sign_in_tries(request, email)
    await run_sync(throttles.take, app.store, *tries)
    found = await app.hashed(
        lambda: verification.verify_email(
            app.store, app.passwords, token, password=password, signed_in=signed_in
        )
    )
    await run_sync(throttles.give_back, app.store, *tries)
    return private(shown_account(found))


async def _signed_in(request: Request) -> str | None:
    """The account whose own session sends the request. Another credential proves nothing, and is not refused."""
    header = request.headers.get("authorization")
    if header is None:
        return None
    try:
        caller = await services(request).authenticator.caller(header)
    except Unauthenticated:
        return None
    is_own = caller.session_id is not None and caller.only_organization_id is None
    return caller.account_id if is_own else None
