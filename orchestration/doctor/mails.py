"""Findings of `eas doctor` about mails. It sends none, and asks no mail server.

Keep out: delivery (api/mail).
"""

from __future__ import annotations

from collections.abc import Iterator

from api.control.accounts.mails import waiting_mails
from api.operator.environment import value_of
from api.operator.variables import MAIL_SERVER
from orchestration.deployment import Deployment
from orchestration.doctor.findings import Finding, ago


def mails(deployment: Deployment) -> Iterator[Finding]:
    """The mail server, and mails that wait after failed attempts."""
    server = value_of(MAIL_SERVER)
    place = (
        f"to {server.host}:{server.port} ({MAIL_SERVER})" if server else f"to files, without {MAIL_SERVER}"
    )
    with deployment.control() as control:
        found = waiting_mails(control)
    if found.queued_at is None or found.due_at is None:
        yield Finding("Mails", None, f"{place}; none waits after a failed attempt")
        return
    wait = "1 waits" if found.count == 1 else f"{found.count} wait"
    yield Finding(
        "Mails",
        False,
        f"{place}; {wait} after failed attempts, the oldest queued {ago(found.queued_at.isoformat())}. The log of"
        f" the API has the reason; the next attempt is at {found.due_at:%Y-%m-%dT%H:%M:%SZ}, while the API runs",
    )
