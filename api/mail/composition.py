"""Makes the message of a queued mail: recipient, single-use link and letter.

Keep out: transport (transport.py), what a mail of a summary says (summaries.py).
"""

from email.message import EmailMessage
from email.utils import format_datetime, make_msgid

from api.control.accounts.accounts import find_by_email
from api.control.accounts.invitations import pending
from api.control.accounts.links import Purpose, make_link
from api.control.accounts.mails import DueMail, MailKind
from api.control.plans.billing import checkout_link
from api.control.store import ControlStore
from api.mail.letters import write
from api.mail.one_click import offer_to_end, subscribed_message
from api.mail.summaries import summary_letter

# RFC 5322, section 2.1.1.
MAX_LINE_BYTES = 998

LINKED = {
    MailKind.WELCOME: (Purpose.VERIFICATION, "verifyEmail"),
    MailKind.VERIFICATION: (Purpose.VERIFICATION, "verifyEmail"),
    MailKind.PASSWORD_RESET: (Purpose.PASSWORD_RESET, "resetPassword"),
}


def compose(store: ControlStore, mail: DueMail, *, app_url: str, sender: str) -> EmailMessage | None:
    """The message with a new link; None without a recipient."""
    if mail.kind is MailKind.SUMMARY:
        return _summary(store, mail, app_url=app_url, sender=sender)
    blanks = {"app_url": app_url}
    recipient, kind = mail.recipient, mail.kind
    if kind in LINKED:
        with store.session() as session:
            account = find_by_email(session, mail.recipient)
        if account is None:
            return None
        purpose, page = LINKED[kind]
        # After the #: a browser keeps that to itself, so it is in no log and no Referer.
        link = f"{app_url}/{page}#{make_link(store, purpose, account.id, account.email_key)}"
        blanks |= {"name": account.name, "link": link}
        # To the stored address of the account, not to the spelling in the request.
        recipient = account.email
    elif kind is MailKind.INVITATION:
        invitation = pending(store, mail.facts["invitation"])
        if invitation is None:
            return None
        blanks |= {
            "inviter": invitation.invited_by,
            "organization": invitation.organization_name,
            "role": invitation.role.shown,
            "until": f"{invitation.expires_at:%-d %B %Y}",
            "link": f"{app_url}/invitation#{invitation.token}",
        }
    else:
        paid_at = checkout_link(mail.facts["reference"]) if "reference" in mail.facts else None
        blanks |= {"link": paid_at or app_url} | {key: str(value) for key, value in mail.facts.items()}
    letter = write(kind, blanks)
    message = _envelope(store, sender, recipient, letter.subject)
    message["Message-ID"] = make_msgid(idstring=mail.id, domain=_domain(sender))
    _set_text(message, letter.text)
    return message


def _summary(store: ControlStore, mail: DueMail, *, app_url: str, sender: str) -> EmailMessage | None:
    letter = summary_letter(store, mail, app_url)
    if letter is None:
        return None
    message = _envelope(store, sender, letter.recipient, letter.subject, subscribed_message())
    offer_to_end(message, letter.unsubscribe_url)
    # The same at each attempt, so that a mail program shows a mail once that a killed sender sent.
    message["Message-ID"] = f"<{mail.id}@{_domain(sender)}>"
    # Lines of a page have any length, and Base64 passes through every server.
    message.set_content(letter.body.text, cte="base64")
    message.add_alternative(letter.body.page, subtype="html", cte="base64")
    return message


def _envelope(
    store: ControlStore, sender: str, recipient: str, subject: str, empty: EmailMessage | None = None
) -> EmailMessage:
    # A message without headers is false.
    message = EmailMessage() if empty is None else empty
    message["From"] = sender
    message["To"] = recipient
    message["Subject"] = subject
    message["Date"] = format_datetime(store.now())
    message["Auto-Submitted"] = "auto-generated"
    return message


def _domain(sender: str) -> str:
    return sender.rpartition("@")[2]


def _set_text(message: EmailMessage, text: str) -> None:
    """The text as it is: quoted-printable would break links in the middle and write `=` as `=3D`."""
    longest = max(len(line.encode()) for line in text.splitlines())
    as_it_is = "7bit" if text.isascii() else "8bit"
    message.set_content(text, cte=as_it_is if longest <= MAX_LINE_BYTES else "base64")
