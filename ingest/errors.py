"""Errors between the outside world and the lake.

    IngestError
    ├── Permanent              a rerun cannot help until the input or a setting changes
    │   ├── NotARepository     nothing at the path is a Git repository
    │   ├── EmptyRepository    a repository without any commit
    │   ├── NoDefaultBranch    commits, but no branch that could be the default one
    │   ├── ForeignOwner       a checkout that another user owns, which Git refuses to read
    │   ├── UnsupportedTarget  an address or a repository format that is refused
    │   ├── MirrorFailed       the host refused the repository, or the clone failed
    │   ├── SourceBusy         another process is working on the same source
    │   ├── ShrinkRefused      a source suddenly holds much less than before
    │   ├── LimitExceeded      a repository needs more than a limit of this machine allows
    │   ├── ProviderRefused    a provider refused a request; `refusal` has the reason
    │   ├── NoEngine           the requested engine of the extraction is unknown or not there
    │   └── LakeCorrupt        the lake's own files contradict each other
    └── Transient              network trouble and overload: try again
        └── RateLimited        knows how long to wait

Add: errors that a caller must distinguish. Keep out: retry policies, which only test for these classes. Every
message names the event, its place and the remedy.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any


class Refusal(StrEnum):
    """Reasons for which a provider refuses a request until somebody changes something."""

    BAD_ADDRESS = "BAD_ADDRESS"
    TLS = "TLS"
    UNAUTHORIZED = "UNAUTHORIZED"
    EXPIRED = "EXPIRED"
    MISSING_SCOPE = "MISSING_SCOPE"
    SSO_REQUIRED = "SSO_REQUIRED"
    FORBIDDEN = "FORBIDDEN"
    NOT_FOUND = "NOT_FOUND"
    PLAN_REQUIRED = "PLAN_REQUIRED"
    GONE = "GONE"
    INVALID = "INVALID"


class IngestError(Exception):
    """Base class of the errors of `ingest`."""


class Permanent(IngestError):
    """A rerun cannot help: the input, a setting or a permission has to change first."""


class NotARepository(Permanent):
    """No Git repository at the given place."""


class EmptyRepository(Permanent):
    """A Git repository without a commit on any branch."""


class NoDefaultBranch(Permanent):
    """The default branch cannot be determined."""


class ForeignOwner(Permanent):
    """The repository belongs to another user and is not listed in Git's `safe.directory`."""

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} belongs to another user, so Git refuses to read it. If you trust its content, run"
            f" `git config --global --add safe.directory {path}` and try again."
        )
        self.path = path

    def __reduce__(self) -> tuple[type[ForeignOwner], tuple[str]]:
        return type(self), (self.path,)


class UnsupportedTarget(Permanent):
    """A refused address or repository format."""


class MirrorFailed(Permanent):
    """A remote repository could not be cloned or fetched. A repetition cannot help."""


class SourceBusy(Permanent):
    """Another process holds the source's lock."""


class ShrinkRefused(Permanent):
    """Less data than before, beyond the limit: nothing was replaced."""


class LimitExceeded(Permanent):
    """Reading a repository would exceed the limit `setting`, an environment variable."""

    def __init__(self, setting: str, message: str) -> None:
        super().__init__(f"{message} ({setting})")
        self.setting, self.message = setting, message

    def __reduce__(self) -> tuple[type[LimitExceeded], tuple[str, str]]:
        return type(self), (self.setting, self.message)

    def within(self, place: str) -> LimitExceeded:
        """The same error, whose message starts with the place."""
        return LimitExceeded(self.setting, f"{place}: {self.message}")


class NoEngine(Permanent):
    """The requested engine of the extraction is unknown or not there."""


class LakeCorrupt(Permanent):
    """Files of the lake are missing, unreadable or contradict their state file. `sources` are the ids of theirs."""

    def __init__(self, message: str, sources: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.sources = sources


class ProviderRefused(Permanent):
    """A provider refused a request. `status` is the HTTP status, or None without an answer; `headers` (names in lower
    case) and `body` are those of the answer, in which providers name missing scopes.
    """

    def __init__(
        self,
        refusal: Refusal,
        message: str,
        status: int | None = None,
        headers: Mapping[str, str] | None = None,
        body: Any = None,
    ) -> None:
        super().__init__(message)
        self.refusal, self.message, self.status = refusal, message, status
        self.headers, self.body = dict(headers or {}), body

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.refusal, self.message, self.status, self.headers, self.body)


class Transient(IngestError):
    """Time-outs, refused connections, server errors: the same call may succeed later. `status` is that of an answer."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class RateLimited(Transient):
    """The host requests a pause of `retry_after` seconds (None: of unknown length)."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after
