"""`/auth/checkPassword` and the routes that change or reset a password."""

from typing import Literal

from anyio.to_thread import run_sync
from fastapi import APIRouter, Request
from pydantic import Field
from starlette.responses import Response

from api.auth.allowances import (
    PASSWORDS_FROM_HERE,
    RESET_FROM_HERE,
    RESET_OF_ONE,
    sign_in_tries,
)
from api.auth.shapes import Email, LinkToken, Password, refuse_without_passwords
from api.callers.dependencies import Account, Anybody
from api.control.accounts import accounts, throttles
from api.control.accounts.accounts import MAX_EMAIL_LENGTH, email_key
from api.control.accounts.passwords import check
from api.control.accounts.throttles import Try
from api.http.client_networks import client_network
from api.http.parameters import NoQuery
from api.http.responses import private
from api.services import services
from api.shapes import Empty, Shape

router = APIRouter(tags=["accounts"])


class Proposal(Shape):
    """A candidate password."""

    password: Password
    email: str = Field(
        "",
        max_length=MAX_EMAIL_LENGTH,
        description="Email address of the account. The password must not contain parts of it.",
        examples=["ada@example.org"],
    )


class RuleMet(Shape):
    """A rule of the checklist."""

    rule: Literal[
        "LENGTH", "LOWER_CASE", "UPPER_CASE", "DIGIT", "SIGN", "VARIED", "UNCOMMON", "IMPERSONAL"
    ] = Field(description="Name of the rule; `description` explains it.")
    description: str = Field(examples=["at least 8 characters"])
    is_met: bool = Field(description="true: the password meets the rule.")


class Checklist(Shape):
    """The rules for passwords."""

    is_acceptable: bool = Field(description="true: the password meets every rule.")
    rules: list[RuleMet]


class ResetRequest(Shape):
    """The email address of an account."""

    email: Email


class Reset(Shape):
    """A mailed link and the new password."""

    token: LinkToken
    password: Password


class Change(Shape):
    """The current password and the new one."""

    current_password: Password
    password: Password


@router.post("/checkPassword", summary="Check a password")
async def check_password(_: Anybody, body: Proposal, _query: NoQuery) -> Checklist:
    """Check a password against every rule, for a form that shows the result while the user types. The service does
    not store the password.
    """
    rules = [
        RuleMet.model_validate({"rule": rule.name, "description": rule.description, "isMet": is_met})
        for rule, is_met in check(body.password.get_secret_value(), body.email)
    ]
    return Checklist(is_acceptable=all(rule.is_met for rule in rules), rules=rules)


@router.post("/requestPasswordReset", summary="Request a password reset", response_model=Empty)
async def request_password_reset(
    _: Anybody, body: ResetRequest, request: Request, _query: NoQuery
) -> Response:
    """Mail a link that works once within an hour. The answer is the same for registered and unknown addresses."""
    app = services(request)
    refuse_without_passwords(app)
    tries = [Try(RESET_OF_ONE, email_key(body.email)), Try(RESET_FROM_HERE, client_network(request))]
    await run_sync(throttles.take, app.store, *tries)
    await run_sync(accounts.request_password_reset, app.store, body.email)
    app.mail.wake()
    return private({})


@router.post("/resetPassword", summary="Reset the password", response_model=Empty)
async def reset_password(_: Anybody, body: Reset, request: Request, _query: NoQuery) -> Response:
    """Set a new password with a mailed link. This verifies the address and ends all sessions. If nobody verified the
    address before, somebody else may have signed up with it: API keys and identities at providers end too, and the
    account gets the name of the mailbox.

    A weak password gets an error, and the link stays valid.
    """
    app = services(request)
    refuse_without_passwords(app)
    await run_sync(throttles.take, app.store, Try(PASSWORDS_FROM_HERE, client_network(request)))
    token, password = body.token.get_secret_value(), body.password.get_secret_value()
    await app.hashed(lambda: accounts.reset_password(app.store, app.passwords, token, password))
    return private({})


@router.post("/changePassword", summary="Change the password", response_model=Empty)
async def change_password(caller: Account, body: Change, request: Request, _query: NoQuery) -> Response:
    """Set a new password with the current one. All other sessions of the account end."""
    app = services(request)
    refuse_without_passwords(app)
    assert caller.account_id is not None
    tries = sign_in_tries(request, caller.email or "")
    await run_sync(throttles.take, app.store, *tries)
    await app.hashed(
        lambda: accounts.change_password(
            app.store,
            app.passwords,
            caller.account_id or "",
            body.current_password.get_secret_value(),
            body.password.get_secret_value(),
            keep_session=caller.session_id,
        )
    )
    await run_sync(throttles.give_back, app.store, *tries)
    return private({})
