"""Failed sign-ins with identity providers: a line in the log for the operator, and words for the person.

Both have the same reference, by which the line is found. No line has a secret, a code, a name or address of a person,
or a word of a provider. Keep out: what fails at a provider (api/identity_providers/failures.py), the layout of the page
(browser.py).
"""

import json
import logging
import re
import secrets

from starlette.responses import Response

from api.auth.browser import failure_page
from api.control.errors import ControlError, NotAllowed, SecretUnreadable, TooMany
from api.control.identity_providers.flows import NO_CODE, NO_FLOW
from api.control.identity_providers.unverified import NoVerifiedAddress
from api.control.identity_providers.usable import ClientSecretUnreadable
from api.errors import ApiError, FailedPrecondition, NotFound, Unavailable
from api.http.statuses import api_error_of
from api.identity_providers.failures import FailureKind, ProviderDown, SignInFailed
from api.identity_providers.providers import SignInProvider
from api.services import Services

logger = logging.getLogger(__name__)

FAILURES = (ControlError, SignInFailed, ApiError)
Failed = ControlError | SignInFailed | ApiError
UNUSABLE = "this identity provider cannot be used now: tell your administrator"
_BARE = re.compile(r"[\w.:/-]+", re.ASCII)


def answer(error: Failed, step: str, provider: SignInProvider | None) -> Exception:
    """The error to raise in a route of programs, after the failure is in the log."""
    reference = _note(error, step, provider)
    if reference is None:
        return error
    if isinstance(error, ApiError):
        refused: ApiError | None = error
    elif isinstance(error, SecretUnreadable):
        refused = Unavailable(UNUSABLE)
    elif isinstance(error, SignInFailed):
        refused = (
            Unavailable(str(error)) if isinstance(error, ProviderDown) else FailedPrecondition(str(error))
        )
    else:
        refused = api_error_of(error)
    if refused is None:
        return error
    refused.message = f"{_told(error, refused.message)} (reference {reference})"
    return refused


def page(app: Services, error: Failed, step: str, provider: SignInProvider | None) -> Response:
    """The page of a failure, which is in the log then."""
    reference = _note(error, step, provider)
    if isinstance(error, TooMany):
        seconds = str(max(1, int(error.retry_after.total_seconds() + 1)))
        return failure_page(app, str(error), 429, headers={"Retry-After": seconds})
    if isinstance(error, ProviderDown | SecretUnreadable):
        status = 503
    elif isinstance(error, NotFound):
        status = 404
    else:
        status = 403 if isinstance(error, NotAllowed) else 400
    return failure_page(app, _told(error, str(error)), status, reference=reference)


def _note(error: Failed, step: str, provider: SignInProvider | None) -> str | None:
    """Write the line of a failure. Returns its reference; None for attempts above a rate limit, which have no line:
    their number has no limit.
    """
    if isinstance(error, TooMany):
        return None
    unreadable = error.record if isinstance(error, ClientSecretUnreadable) else None
    named = provider or unreadable
    own = provider.organization if provider is not None else unreadable
    reference = secrets.token_hex(4)
    facts = {
        "reference": reference,
        "step": step,
        "organization": own.organization_id if own is not None else "-",
        "provider": named.id if named is not None else "-",
        "issuer": named.issuer if named is not None else "-",
        "kind": _kind(error).value,
        "reason": getattr(error, "detail", "") or str(error),
    }
    line = " ".join(f"{name}={_quoted(value)}" for name, value in facts.items())
    logger.warning("sign-in failed: %s", line)
    return reference


def _quoted(value: str) -> str:
    """A value of a line: quoted as in JSON, in ASCII, unless it has only letters, digits and . : / _ -"""
    return value if _BARE.fullmatch(value) else json.dumps(value)


def _kind(error: Failed) -> FailureKind:
    if isinstance(error, SignInFailed):
        return error.kind
    if isinstance(error, NoVerifiedAddress):
        return FailureKind.MISSING_CLAIM if error.missing_claim else FailureKind.UNVERIFIED_ADDRESS
    if isinstance(error, SecretUnreadable):
        return FailureKind.SECRET_UNREADABLE
    if isinstance(error, NotFound):
        return FailureKind.UNKNOWN_PROVIDER
    return FailureKind.UNKNOWN_SIGN_IN if str(error) in (NO_FLOW, NO_CODE) else FailureKind.NOT_ACCEPTED


def _told(error: Failed, message: str) -> str:
    """What the person reads: nothing about the keys of the operator."""
    return UNUSABLE if isinstance(error, SecretUnreadable) else message
