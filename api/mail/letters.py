"""The texts of the mails. Keep out: recipients and times (control/accounts/mails.py), links (composition.py)."""

import re
import unicodedata
from dataclasses import dataclass

from api.control.accounts.accounts import EMAIL
from api.control.accounts.mails import MailKind


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
        "within three days, and asks for the password that you chose:\n\n{link}\n\nIf it was not you who signed up, "
        "ignore this mail: without the confirmation nobody can join an organization in your name.",
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
    MailKind.PAYMENT_FAILED: Letter(
        "A payment for {organization} failed",
        "Hello {name},\n\nthe last payment for {organization} failed. New commits are analysed until {until}; after "
        "that they wait until it is paid, and everything else stays available. Please update the payment at the "
        "payment provider.\n\n{link}",
    ),
    MailKind.PAYMENT_DUE: Letter(
        "New analysis of {organization} pauses on {until}",
        "Hello {name},\n\na payment for {organization} is still open. From {until} on, new commits wait until it is "
        "paid, and everything else stays available. Please update the payment at the payment provider.\n\n{link}",
    ),
    MailKind.PAYMENT_OVERDUE: Letter(
        "New analysis of {organization} is paused",
        "Hello {name},\n\nthe last payment for {organization} failed, and the time to pay ended on {until}. New "
        "commits wait until it is paid, and everything else stays available. Please update the payment at the payment "
        "provider.\n\n{link}",
    ),
    MailKind.PAYMENT_ENDED: Letter(
        "The subscription of {organization} ended",
        "Hello {name},\n\nthe subscription of {organization} ended on {until}. New commits wait until there is another "
        "one, and everything else stays available. To go on, ask for an upgrade (…/plan:requestUpgrade).\n\n{link}",
    ),
}


# Names that people chose. An inviter is a verified address, or the name of an operator's key.
OWN_WORDS = frozenset({"name", "organization", "inviter"})
MAX_FREE_TEXT_LENGTH = 80
# Characters that a mail program joins to a link; the last four look like dots.
JOINTS = re.compile(r"(?<=\S)[.:/\\@\u2024\u3002\uff0e\uff61]+(?=\S)|//")


def write(kind: MailKind, blanks: dict[str, str]) -> Letter:
    """The letter with its blanks filled in, people's own words harmlessly. Raises KeyError for a missing one."""
    letter = LETTERS[kind]
    safe = {key: _safe(key, value) for key, value in blanks.items()}
    return Letter(letter.subject.format_map(safe), (letter.text + CLOSING).format_map(safe))


def harmless(words: str) -> str:
    """Text of a person, made safe for a mail to others: one short line, no link, no invisible character.

    On one line it cannot pretend to be a part of the letter or its headers.
    """
    seen = "".join(letter for letter in words if letter.isspace() or unicodedata.category(letter)[0] != "C")
    line = " ".join(JOINTS.sub(" ", seen).split())
    return line if len(line) <= MAX_FREE_TEXT_LENGTH else f"{line[: MAX_FREE_TEXT_LENGTH - 1].rstrip()}…"


def _safe(blank: str, value: str) -> str:
    if blank in OWN_WORDS and not (blank == "inviter" and EMAIL.fullmatch(value)):
        return harmless(value)
    return " ".join(value.split())
