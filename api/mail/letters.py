"""Texts of the mails. Keep out: to whom and when (control/mails.py), links (composition.py)."""

from dataclasses import dataclass

from api.control.mails import MailKind


@dataclass(frozen=True, slots=True)
class Letter:
    """A subject and a text with named blanks."""

    subject: str
    text: str


CLOSING = "\n\n-- \nEngineering Analytics Service, {app_url}\n"

LETTERS = {
    MailKind.WELCOME: Letter(
        "Welcome to Engineering Analytics",
        "Hello {name},\n\nyour account is ready. Please confirm that this is your address; the link works once, "
        "within three days:\n\n{link}\n\nIf it was not you who signed up, ignore this mail: without the "
        "confirmation nobody can join an organization in your name.",
    ),
    MailKind.VERIFICATION: Letter(
        "Confirm your address",
        "Hello {name},\n\nplease confirm that this is your address; the link works once, within three days:"
        "\n\n{link}\n\nIf you did not ask for it, ignore this mail.",
    ),
    MailKind.PASSWORD_RESET: Letter(
        "Choose a new password",
        "Hello {name},\n\nsomebody asked for a new password for this account. The link works once, within an "
        "hour, and ends every session:\n\n{link}\n\nIf it was not you, ignore this mail; your password stays "
        "as it is.",
    ),
    MailKind.INVITATION: Letter(
        "{inviter} invites you to {organization}",
        "Hello,\n\n{inviter} invites you to join {organization} as {role}. Sign in, or sign up with this "
        "address, to accept; the invitation is open until {until}:\n\n{link}\n\nIf you do not know the sender, "
        "ignore this mail.",
    ),
    MailKind.TRIAL_ENDING: Letter(
        "The trial of {organization} ends on {until}",
        "Hello {name},\n\nthe free trial of {organization} ends on {until}: {analysed} of {limit} commits have "
        "been analysed. After that, new commits wait and are analysed when the limit rises; everything else "
        "stays available.\n\n{link}",
    ),
}


def write(kind: MailKind, blanks: dict[str, str]) -> Letter:
    """The letter with its blanks filled in; values are taken as they are. Raises KeyError for a missing one."""
    letter = LETTERS[kind]
    # A name is somebody's own words: on one line it cannot pretend to be a part of the letter or its headers.
    safe = {key: " ".join(value.split()) for key, value in blanks.items()}
    return Letter(letter.subject.format_map(safe), (letter.text + CLOSING).format_map(safe))
