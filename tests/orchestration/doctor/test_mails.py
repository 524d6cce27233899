"""`eas doctor` names mails that wait after failed attempts, and the mail server without its login."""

import io

import pytest
from rich.console import Console
from sqlalchemy import update

from api.control.accounts.mails import MailKind, queue_mail
from api.control.models import Mail
from orchestration.deployment import Deployment
from orchestration.doctor.examination import examine


def line(deployment: Deployment) -> str:
    out = io.StringIO()
    examine(deployment, Console(file=out, width=400))
    assert "s3cret" not in out.getvalue()
    [found] = [one for one in out.getvalue().splitlines() if " Mails: " in one]
    return found


def test_mails_that_wait_after_failed_attempts_fail(
    deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EAS_SMTP_URL", "smtp://post:s3cret@mail.example:2525")
    with deployment.control() as control, control.session() as session:
        queue_mail(session, control.now(), MailKind.WELCOME, "ada@example.org")
    assert line(deployment).startswith("     Mails: to mail.example:2525 (EAS_SMTP_URL); none waits")
    with deployment.control() as control, control.session() as session:
        session.execute(update(Mail).values(attempts=2))
    found = line(deployment)
    assert found.startswith("FAIL Mails: to mail.example:2525 (EAS_SMTP_URL); 1 waits after failed attempts")
    assert "ada@example.org" not in found
