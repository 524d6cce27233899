"""The errors of the control database.

ControlError
├── InvalidSetting     a value is malformed; `field` names it
├── WeakPassword       a password misses rules; `unmet` lists them
├── NotFound           the thing does not exist
├── AlreadyExists      a unique value is taken
├── NotAllowed         the actor lacks the right; the message has the reason
├── NotPossible        the current state does not allow it
├── NotRecognized      no account has these credentials
├── TooMany            too many attempts; `retry_after` says when to try again
├── BadSecretKey       the key that encrypts secrets is malformed or cannot be kept
├── SecretUnreadable   a stored secret cannot be decrypted
├── SchemaTooNew       a newer release has migrated the database
├── SchemaTooOld       the database is from before the initial revision
├── DatabaseLost       the file of a deployment that was in use is gone
└── DatabaseDamaged    the file cannot be read
"""

from datetime import timedelta


class ControlError(Exception):
    """Base of the errors of the control store. The message contains the remedy."""


class InvalidSetting(ControlError):
    """A malformed value."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field
        self.problem = problem


class WeakPassword(ControlError):
    """A password that misses rules of the checklist."""

    def __init__(self, unmet: list[str]) -> None:
        super().__init__(f"the password needs more: {'; '.join(unmet)}")
        self.unmet = unmet


class NotFound(ControlError):
    """The named thing does not exist."""


class AlreadyExists(ControlError):
    """A value that must be unique is taken."""


class NotAllowed(ControlError):
    """The actor lacks the right to this, whatever the state of the thing."""


class NotPossible(ControlError):
    """The state of the thing does not allow this."""


class NotRecognized(ControlError):
    """No account has these credentials."""


class TooMany(ControlError):
    """Too many attempts."""

    def __init__(self, message: str, retry_after: timedelta) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class BadSecretKey(ControlError):
    """The key that encrypts secrets is malformed, or there is no place to keep one."""


class SecretUnreadable(ControlError):
    """A stored secret cannot be decrypted: its key is not here, or the row was tampered with."""


class SchemaTooNew(ControlError):
    """The database was migrated by a newer release than the one that runs."""


class SchemaTooOld(ControlError):
    """The database is at a revision from before the initial one, which no release migrates."""


class DatabaseLost(ControlError):
    """The database file of a deployment that has published figures is missing or empty."""


class DatabaseDamaged(ControlError):
    """The database file is no longer a readable database."""
