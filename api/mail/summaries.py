"""Mails of summaries: what a subscriber may see of a summary when the mail is sent.

Keep out: queueing (control/summaries/subscriptions.py), formats (presentation/summaries/formats).
"""

import logging
from dataclasses import dataclass

from api.control.accounts.mails import DueMail
from api.control.errors import ControlError
from api.control.store import ControlStore
from api.control.summaries.subscriptions import subscriber
from api.control.summaries.unsubscribe_links import make_token
from api.mail.letters import harmless
from api.presentation.summaries.formats.mails import MailBody, to_mail
from api.presentation.summaries.visibility import has_nothing
from api.read.summaries.stored import stored_text

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SummaryLetter:
    """A mail of a summary, for the present address of the subscriber, with the page that ends these mails."""

    recipient: str
    subject: str
    body: MailBody
    unsubscribe_url: str


def summary_letter(store: ControlStore, mail: DueMail, app_url: str) -> SummaryLetter | None:
    """The mail of a summary as the subscriber reads it now. None where nothing is sent, and the log says why."""
    subscription, summary = mail.facts["subscription"], mail.facts["summary"]
    try:
        organization, reader = subscriber(store, subscription)
        text = stored_text(store, organization, reader.visibility, summary)
    except ControlError as error:
        logger.info("mail %s (%s) is not sent: %s", mail.id, mail.kind, error)
        return None
    document = text.document
    if document.is_draft or has_nothing(text.seen.document):
        logger.info("mail %s (%s) is not sent: the subscriber may see nothing of it", mail.id, mail.kind)
        return None
    page = f"{app_url}/auth/unsubscribe?token={make_token(store, subscription)}"
    body = to_mail(document, f"{app_url}/api/v1/organizations/{organization}/summaries/{summary}", page)
    return SummaryLetter(reader.email, f"{harmless(document.title)}: {document.period}", body, page)
