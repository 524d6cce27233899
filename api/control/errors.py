"""What the control store refuses.

ControlError
├── InvalidSetting     a value is malformed; `field` names it
├── NotFound           the thing does not exist
├── AlreadyExists      a unique value is taken
└── SchemaTooNew       the database was migrated by a newer release
"""


class ControlError(Exception):
    """Base of the refusals of the control store; the message says what to do."""


class InvalidSetting(ControlError):
    """A value that was given is malformed."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field
        self.problem = problem


class NotFound(ControlError):
    """The named thing does not exist."""


class AlreadyExists(ControlError):
    """A value that must be unique is taken."""


class SchemaTooNew(ControlError):
    """The database was migrated by a newer release than the one that runs."""
