"""Failed sign-ins. The words are the service's own: those of a provider may be hostile or repeat secrets.

SignInFailed
├── ProviderDown     it cannot be reached, is too slow or answers an error: later it may work
└── ProviderWrong    its answer or its setting is not as it must be
    └── BadIdToken   its ID token is refused
"""

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum

from ingest.probe import IngestError, ProviderRefused, Refusal, Transient

# RFC 6749, section 4.1.2.1, and OpenID Connect Core 1.0, section 3.1.2.6. No other word of a provider is shown.
CANCELLED = frozenset({"access_denied", "login_required", "interaction_required", "consent_required"})
BUSY = frozenset({"server_error", "temporarily_unavailable"})


class FailureKind(StrEnum):
    """Kinds of failures, as the log names them."""

    UNREACHABLE = "unreachable"
    PROVIDER_ERROR = "provider_error"
    CERTIFICATE = "certificate"
    BAD_SETTING = "bad_setting"
    BAD_ANSWER = "bad_answer"
    BAD_ID_TOKEN = "bad_id_token"
    CLIENT_REFUSED = "client_refused"
    CALLBACK_UNKNOWN = "callback_unknown"
    CODE_REFUSED = "code_refused"
    CANCELLED = "cancelled"
    MISSING_CLAIM = "missing_claim"
    UNVERIFIED_ADDRESS = "unverified_address"
    UNKNOWN_PROVIDER = "unknown_provider"
    UNKNOWN_SIGN_IN = "unknown_sign_in"
    SECRET_UNREADABLE = "secret_unreadable"
    NOT_ACCEPTED = "not_accepted"


class SignInFailed(Exception):
    """A sign-in that failed at the provider. The message says what the person can do.

    `detail` is for those who run the service or set up the provider: hosts, settings, errors of the connection.
    """

    kind = FailureKind.BAD_ANSWER

    def __init__(self, message: str, kind: FailureKind | None = None, detail: str = "") -> None:
        super().__init__(message)
        self.kind = kind or self.kind
        self.detail = detail


class ProviderDown(SignInFailed):
    """The provider does not answer."""

    kind = FailureKind.UNREACHABLE


class ProviderWrong(SignInFailed):
    """The provider answers something that is refused."""


class BadIdToken(ProviderWrong):
    """An ID token fails a check."""

    kind = FailureKind.BAD_ID_TOKEN


def refuse_error(name: str, error: str | None) -> None:
    """Raise SignInFailed for the `error` with which a provider sends a browser back."""
    if error is None:
        return
    if error in CANCELLED:
        raise ProviderWrong(f"{name} was not allowed to sign you in, or you cancelled", FailureKind.CANCELLED)
    if error in BUSY:
        raise ProviderDown(f"{name} cannot sign you in now: try again later", FailureKind.PROVIDER_ERROR)
    raise ProviderWrong(f"{name} refused this sign-in; ask whoever set up this provider")


def unreachable(name: str, kind: FailureKind, detail: str) -> ProviderDown:
    """The failure of a provider that does not answer now."""
    said = f"{name} cannot be reached: try again in a few minutes, and tell your administrator if it stays so"
    return ProviderDown(said, kind, detail)


@contextmanager
def asking(name: str) -> Iterator[None]:
    """Turn errors of requests into failures of a sign-in with this provider."""
    try:
        yield
    except Transient as error:
        kind = FailureKind.PROVIDER_ERROR if error.status is not None else FailureKind.UNREACHABLE
        raise unreachable(name, kind, _plain(error)) from None
    except IngestError as error:
        if isinstance(error, ProviderRefused) and error.refusal is Refusal.TLS:
            said, kind = "cannot be reached safely", FailureKind.CERTIFICATE
        else:
            said, kind = "cannot be asked", FailureKind.BAD_SETTING
        raise ProviderWrong(f"{name} {said}: tell your administrator", kind, _plain(error)) from None


def _plain(error: Exception) -> str:
    return " ".join(str(error).split())[:300].rstrip(".")
