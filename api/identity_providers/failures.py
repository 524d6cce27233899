"""Failed sign-ins. The words are the service's own: those of a provider may be hostile or repeat secrets.

SignInFailed
├── ProviderDown     it cannot be reached, is too slow or answers an error: later it may work
└── ProviderWrong    its answer or its setting is not as it must be
"""

from collections.abc import Iterator
from contextlib import contextmanager

from ingest.probe import IngestError, Transient


class SignInFailed(Exception):
    """A sign-in that failed at the provider. The message says what to do."""


class ProviderDown(SignInFailed):
    """The provider does not answer."""


class ProviderWrong(SignInFailed):
    """The provider answers something that is refused."""


@contextmanager
def asking(name: str) -> Iterator[None]:
    """Turn errors of requests into failures of a sign-in with this provider."""
    try:
        yield
    except Transient as error:
        raise ProviderDown(f"{name} does not answer now: try again later ({_plain(error)})") from None
    except IngestError as error:
        raise ProviderWrong(f"{name} cannot be asked: {_plain(error)}") from None


def _plain(error: Exception) -> str:
    return " ".join(str(error).split())[:300].rstrip(".")
