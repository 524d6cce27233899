"""Failed sign-ins with identity providers: a line in the log for the operator, and words for the person.

Both have the same reference, by which the line is found. No line has a secret, a code, a name or address of a person,
or a word of a provider but its issuer. Keep out: what fails at a provider (api/identity_providers/failures.py), the
layout of the page (web/sessions/callbacks.py).
"""

import json
import logging
import re
import secrets
from dataclasses import dataclass, field

from anyio.to_thread import run_sync

from api.control.errors import ControlError, NotAllowed, SecretUnreadable, TooMany
from api.control.identity_providers import policies
from api.control.identity_providers.flows import NO_CODE, NO_FLOW
from api.control.identity_providers.records import ProviderRecord
from api.control.identity_providers.unverified import NoVerifiedAddress
from api.control.identity_providers.usable import ClientSecretUnreadable
from api.errors import SECONDS_TO_RECOVER, ApiError, FailedPrecondition, NotFound, Unavailable
from api.http.statuses import api_error_of
from api.identity_providers.failures import FailureKind, ProviderDown, SignInFailed
from api.identity_providers.providers import SignInProvider
from api.services import Services

logger = logging.getLogger(__name__)

FAILURES = (ControlError, SignInFailed, ApiError)
Failed = ControlError | SignInFailed | ApiError
UNUSABLE = "this identity provider cannot be used now: tell your administrator"
NO_PROVIDER = "this address leads to no way to sign in that is set up here"
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


@dataclass(frozen=True, slots=True)
class Failure:
    """What the page of a failed sign-in says. The reference names its line in the log."""

    message: str
    status: int
    headers: dict[str, str] = field(default_factory=dict)
    reference: str | None = None
    organization: str | None = None
    """The id of the organization whose sign-in page the person goes on to."""
    has_other_way: bool = False


async def failure(app: Services, error: Failed, step: str, provider: SignInProvider | None) -> Failure:
    """What to tell a browser about a failure, which is in the log then."""
    reference = _note(error, step, provider)
    if isinstance(error, TooMany):
        seconds = str(max(1, int(error.retry_after.total_seconds() + 1)))
        return Failure(str(error), 429, {"Retry-After": seconds})
    if isinstance(error, ProviderDown | SecretUnreadable):
        status = 503
    elif isinstance(error, NotFound):
        status = 404
    else:
        status = 403 if isinstance(error, NotAllowed) else 400
    failed, organization = _concerned(error, provider)
    return Failure(
        NO_PROVIDER if isinstance(error, NotFound) else _told(error, str(error)),
        status,
        {"Retry-After": str(SECONDS_TO_RECOVER)} if status == 503 else {},
        reference,
        organization,
        await run_sync(_has_other_way, app, organization, failed.id if failed else None),
    )


def _has_other_way(app: Services, organization: str | None, failed: str | None) -> bool:
    """Whether members can sign in with something else than the provider that failed."""
    policy, own = policies.offered(app.store, organization)
    offered = {one.id for one in own} | set(app.sign_in.deployment if policy.has_deployment_providers else ())
    return (app.offers_passwords and policy.has_password_sign_in) or bool(offered - {failed})


def _note(error: Failed, step: str, provider: SignInProvider | None) -> str | None:
    """Write the line of a failure. Returns its reference; None for attempts above a rate limit, which have no line:
    their number has no limit.
    """
    if isinstance(error, TooMany):
        return None
    failed, organization = _concerned(error, provider)
    reference = secrets.token_hex(4)
    facts = {
        "reference": reference,
        "step": step,
        "organization": organization or "-",
        "provider": failed.id if failed else "-",
        "issuer": failed.issuer if failed else "-",
        "kind": _kind(error).value,
        "reason": getattr(error, "detail", "") or str(error),
    }
    line = " ".join(f"{name}={_quoted(value)}" for name, value in facts.items())
    logger.warning("sign-in failed: %s", line)
    return reference


def _concerned(
    error: Failed, provider: SignInProvider | None
) -> tuple[SignInProvider | ProviderRecord | None, str | None]:
    """The provider of a failure, and the id of its organization if it has one."""
    if isinstance(error, ClientSecretUnreadable):
        return error.record, error.record.organization_id
    own = provider.organization if provider is not None else None
    return provider, own.organization_id if own is not None else None


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
    """The sentence for the person, without the keys of the operator."""
    return UNUSABLE if isinstance(error, SecretUnreadable) else message
