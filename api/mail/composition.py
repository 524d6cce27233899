"""Makes the message of a queued mail: recipient, single-use link and letter.

Keep out: transport (transport.py).
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

# RFC 5322, section 2.1.1.
MAX_LINE_BYTES = 998

LINKED = {
    MailKind.WELCOME: (Purpose.VERIFICATION, "verifyEmail"),
    MailKind.VERIFICATION: (Purpose.VERIFICATION, "verifyEmail"),
    MailKind.PASSWORD_RESET: (Purpose.PASSWORD_RESET, "resetPassword"),
}


def compose(store: ControlStore, mail: DueMail, *, app_url: str, sender: str) -> EmailMessage | None:
    """The message with a new link; None without a recipient."""
    blanks = {"app_url": app_url}
    recipient, kind = mail.recipient, mail.kind
    if kind in LINKED:
        with store.session() as session:
            account = find_by_email(session, mail.recipient)
        if account is None:
            return None
        purpose, page = LINKED[kind]
        # After the #: a browser keeps that to itself, so it is in no log and no Referer.
        link = f"{app_url}/auth/{page}#{make_link(store, purpose, account.id, account.email_key)}"
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
            "link": f"{app_url}/auth/invitation#{invitation.token}",
        }
    else:
        paid_at = checkout_link(mail.facts["reference"]) if "reference" in mail.facts else None
        blanks |= {"link": paid_at or app_url} | {key: str(value) for key, value in mail.facts.items()}
    letter = write(kind, blanks)
    message = EmailMessage()
    message["From"] = sender
    message["To"] = recipient
    message["Subject"] = letter.subject
    message["Date"] = format_datetime(store.now())
    message["Message-ID"] = make_msgid(idstring=mail.id, domain=sender.rpartition("@")[2])
    message["Auto-Submitted"] = "auto-generated"
    _set_text(message, letter.text)
    return message


def _set_text(message: EmailMessage, text: str) -> None:
    """The text as it is: quoted-printable would break links in the middle and write `=` as `=3D`."""
    longest = max(len(line.encode()) for line in text.splitlines())
    as_it_is = "7bit" if text.isascii() else "8bit"
    message.set_content(text, cte=as_it_is if longest <= MAX_LINE_BYTES else "base64")
