"""Mails of summaries through a real SMTP server: what arrives, and what each subscriber may see of it."""

import email
import logging
import multiprocessing
import os
import re
from datetime import timedelta
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any

import html5lib
import httpx
import pytest
from sqlalchemy import select, update

from api.control.accounts import members
from api.control.accounts.mails import LEASE, take_due
from api.control.audit import Selection as AuditSelection
from api.control.audit import list_entries
from api.control.list_pages import ListQuery
from api.control.models import Account, SummarySubscription
from api.control.organizations import organizations
from api.control.permissions import Role
from api.control.principals import OPERATOR
from api.control.store import ControlStore, open_store
from api.control.summaries import revisions, subscriptions
from api.control.summaries.kinds import Period, ScopeKind, SummaryKey, WrittenText
from api.control.summaries.unsubscribe_links import make_token
from api.control.teams import leads, teams
from api.mail.delivery import MailDelivery
from api.mail.transport import to_folder, to_server
from api.operator.readers import mail_server
from tests.api.conftest import serving
from tests.api.mail.conftest import Inbox
from tests.api.people import Clock, join, make_account, principal
from tests.api.published_facts import ORGANIZATION
from tests.api.summary_texts import MONDAY, facts_of, key_of, text_of

A = "{http://www.w3.org/1999/xhtml}a"
TITLE = "Keep tokens <b>over</b> a republish (#417)"
URL = "https://git.example/acme/web/pull/417"
ROOT = f"https://eas.example/api/v1/organizations/{ORGANIZATION}"


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> ControlStore:
    store = open_store(tmp_path, now=clock)
    store.ensure_organization("Acme", organization_id=ORGANIZATION, slug="acme")
    return store


def subscriber(
    store: ControlStore,
    role: str = "viewer",
    kind: ScopeKind = ScopeKind.ORGANIZATION,
    scope: str | None = None,
    account: str | None = None,
) -> str:
    """The id of the subscription of a member; of a new one unless given."""
    account = account or join(store, ORGANIZATION, role)
    return subscriptions.subscribe(
        store, principal(store, account), ORGANIZATION, kind, scope, Period.WEEK
    ).id


def publish(store: ControlStore, key: SummaryKey | None = None, text: WrittenText | None = None) -> str:
    """Store a summary that is news; its id."""
    key = key or key_of()
    text = text or text_of(facts_of(key))
    assert revisions.store_first(store, ORGANIZATION, key, text, is_news=True)
    [found] = revisions.stored_since(store, ORGANIZATION, {Period.WEEK: key.period_start})
    return found.id


def delivery(store: ControlStore, send: Any) -> MailDelivery:
    return MailDelivery(store, send, app_url="https://eas.example/", sender="eas@eas.example")


def received(store: ControlStore, server: str, inbox: Inbox) -> list[EmailMessage]:
    """The mails that arrive when all that is due is sent, as a mail program reads them."""
    inbox.messages.clear()
    delivery(store, to_server(mail_server(server))).deliver_due()
    parsed = [email.message_from_bytes(one.as_bytes(), policy=default) for one in inbox.messages]
    return sorted(parsed, key=lambda one: str(one["To"]))


def text_in(message: EmailMessage) -> str:
    part = message.get_body(("plain",))
    assert part is not None
    return str(part.get_content())


def page_in(message: EmailMessage) -> str:
    part = message.get_body(("html",))
    assert part is not None
    return str(part.get_content())


def test_a_mail_has_the_summary_as_page_and_as_text_with_links_to_its_objects(
    store: ControlStore, inbox: Inbox, server: str, clock: Clock
) -> None:
    account = join(store, ORGANIZATION, "viewer", make_account(store, "Ada@example.org"))
    subscription = subscriber(store, account=account)
    summary = publish(store)
    [message] = received(store, server, inbox)
    assert message.get_content_type() == "multipart/alternative"
    assert [part.get_content_type() for part in message.iter_parts()] == ["text/plain", "text/html"]
    assert (message["From"], message["To"]) == ("eas@eas.example", "Ada@example.org")
    assert message["Subject"] == "Acme: week of 9 November 2026" or str(message["Subject"]).startswith(
        "Acme: "
    )
    assert message["Auto-Submitted"] == "auto-generated"
    page = html5lib.HTMLParser(strict=True).parse(page_in(message))
    found = {one.get("href"): "".join(one.itertext()) for one in page.iter(A)}
    assert found == {
        URL: TITLE,
        f"{ROOT}/summaries/{summary}": "this summary",
        f"https://eas.example/auth/unsubscribe?token={make_token(store, subscription)}": "ends these mails",
    }
    text = text_in(message)
    for link, label in found.items():
        assert f"{label} <{link}>" in " ".join(text.split()).replace("\u2060", "")
    for body in (text, "".join(page.itertext())):
        assert "41.7" in body
        assert "You subscribed to the weekly summaries of Acme." in " ".join(body.split())
        assert "DRAFT" not in body
    with store.session() as session:
        assert session.get_one(SummarySubscription, subscription).mailed_at == clock.at
    assert received(store, server, inbox) == []


def test_a_mail_program_ends_one_subscription_with_one_click(
    store: ControlStore, inbox: Inbox, server: str, tmp_path: Path
) -> None:
    """As RFC 8058 describes it: a POST to the address of the header, without cookies and sign-in."""
    account = join(store, ORGANIZATION, "viewer", make_account(store, "Ada@example.org"))
    subscription = subscriber(store, account=account)
    other = subscriber(store)
    publish(store)
    raw: list[bytes] = []
    delivery(store, lambda message: raw.append(message.as_bytes())).deliver_due()
    [mail] = [one for one in raw if b"Ada@example.org" in one]
    # On one line and as it is: programs decode no words in it.
    [address] = re.findall(
        rb"^List-Unsubscribe: <https://eas\.example(/auth/unsubscribe\?token=\S+)>$", mail, re.MULTILINE
    )
    assert b"\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\n" in mail
    page = address.decode()
    with serving(tmp_path) as served, httpx.Client(base_url=served) as client:
        asked = client.get(page)
        assert (asked.status_code, asked.headers["Referrer-Policy"]) == (200, "no-referrer")
        assert '<form method="post">' in asked.text
        assert "form-action 'self'" in asked.headers["Content-Security-Policy"]
        for forged in (
            page[:-1] + ("0" if page[-1] != "0" else "1"),
            page.replace(subscription, other),
            "/auth/unsubscribe",
        ):
            for method in ("GET", "POST"):
                assert client.request(method, forged).status_code == 404
        assert subscribed(store) == {subscription, other}
        for _ in range(2):
            answer = client.post(page, data={"List-Unsubscribe": "One-Click"})
            assert (answer.status_code, "no more mails" in answer.text) == (200, True)
        assert subscribed(store) == {other}
    entries = list_entries(
        store, ORGANIZATION, ListQuery(50), AuditSelection(action="summarySubscriptions.delete")
    )
    assert [one.actor_name for one in entries.items] == ["Ada@example.org (link in a mail)"]


def test_without_encryption_on_the_way_there_is_no_one_click(store: ControlStore) -> None:
    subscriber(store)
    publish(store)
    sent: list[EmailMessage] = []
    sender = MailDelivery(store, sent.append, app_url="http://eas.example", sender="eas@eas.example")
    sender.deliver_due()
    assert str(sent[0]["List-Unsubscribe"]).startswith("<http://eas.example/auth/unsubscribe?token=")
    assert sent[0]["List-Unsubscribe-Post"] is None


def subscribed(store: ControlStore) -> set[str]:
    with store.session() as session:
        return set(session.scalars(select(SummarySubscription.id)))


def test_letters_of_every_script_arrive_as_they_are(store: ControlStore, inbox: Inbox, server: str) -> None:
    subscriber(store)
    facts = facts_of(key_of())
    publish(store, text=text_of(facts, name="Zoë & 東京 <i>"))
    [message] = received(store, server, inbox)
    assert str(message["Subject"]).startswith("Zoë & 東京 <i>: ")
    assert "Zoë & 東京 <i>" in text_in(message)
    assert "Zoë &amp; 東京 &lt;i&gt;" in page_in(message)


def test_a_name_writes_no_header_and_no_link(store: ControlStore, inbox: Inbox, server: str) -> None:
    subscriber(store)
    publish(
        store, text=text_of(facts_of(key_of()), name="x\r\nBcc: eve@evil.example\r\n\r\nhttps://evil.example")
    )
    [message] = received(store, server, inbox)
    assert message["Bcc"] is None
    assert "://" not in str(message["Subject"])
    assert "://evil.example" not in text_in(message)
    assert 'href="https://evil' not in page_in(message)


def test_a_mail_says_who_wrote_and_what_was_restated_since(
    store: ControlStore, inbox: Inbox, server: str
) -> None:
    subscriber(store)
    publish(store)
    [stored] = revisions.stored_since(store, ORGANIZATION, {Period.WEEK: MONDAY})
    change = {"factId": "etv", "field": "value", "before": "41.7", "after": "39.2"}
    revisions.note_restatement(store, ORGANIZATION, stored, "b2", "b2", [change])
    [message] = received(store, server, inbox)
    for body in (text_in(message), page_in(message)):
        assert "Restated since" in body
        assert "39.2" in body


def test_small_groups_stay_hidden_from_what_is_sent_after_the_setting(
    store: ControlStore, inbox: Inbox, server: str
) -> None:
    subscriber(store)
    publish(store)
    organizations.change_settings(store, OPERATOR, ORGANIZATION, {"minimum_group_size": 3})
    [message] = received(store, server, inbox)
    for body in (text_in(message), page_in(message)):
        assert "republish" not in body
        assert URL not in body
        assert "41.7" in body
        assert "smallest group" in body


def test_a_summary_of_which_everything_is_hidden_is_not_mailed(
    store: ControlStore, inbox: Inbox, server: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    subscriber(store)
    publish(store, text=text_of(facts_of(key_of(), people=1)))
    organizations.change_settings(store, OPERATOR, ORGANIZATION, {"minimum_group_size": 3})
    assert received(store, server, inbox) == []
    assert "is not sent: the subscriber may see nothing of it" in caplog.text
    assert take_due(store) is None


def test_a_lead_gets_mails_of_the_teams_that_are_led_when_it_is_sent(
    store: ControlStore, inbox: Inbox, server: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    web = teams.create_team(store, OPERATOR, ORGANIZATION, "Web").id
    other = teams.create_team(store, OPERATOR, ORGANIZATION, "Other").id
    was_member = join(store, ORGANIZATION, "member", make_account(store, "was@example.org"))
    lead = join(store, ORGANIZATION, "team_lead", make_account(store, "lead@example.org"))
    viewer = join(store, ORGANIZATION, "viewer", make_account(store, "viewer@example.org"))
    leads.add_lead(store, OPERATOR, ORGANIZATION, web, lead)
    for account in (was_member, viewer):
        for team in (web, other):
            subscriber(store, kind=ScopeKind.TEAM, scope=team, account=account)
        subscriber(store, account=account)
    subscriber(store, kind=ScopeKind.TEAM, scope=web, account=lead)
    members.change_role(store, OPERATOR, ORGANIZATION, was_member, Role.TEAM_LEAD)
    leads.add_lead(store, OPERATOR, ORGANIZATION, other, was_member)
    for key in (key_of(ScopeKind.TEAM, web), key_of(ScopeKind.TEAM, other), key_of()):
        text = text_of(facts_of(key), name=key.scope_id)
        assert revisions.store_first(store, ORGANIZATION, key, text, is_news=True)
    got = {
        (str(one["To"]), scope)
        for one in received(store, server, inbox)
        for scope in (web, other, ORGANIZATION)
        if str(one["Subject"]).startswith(scope)
    }
    assert got == {
        ("was@example.org", other),
        ("lead@example.org", web),
        *(("viewer@example.org", scope) for scope in (web, other, ORGANIZATION)),
    }
    told = " ".join(one.message for one in caplog.records if one.name.startswith("api."))
    assert "a team lead sees only the teams that they lead" in told
    assert "example.org" not in told


def test_who_left_ended_it_or_lost_the_address_gets_nothing(
    store: ControlStore, inbox: Inbox, server: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    gone, unverified, ended = (join(store, ORGANIZATION, "member") for _ in range(3))
    for account in (gone, unverified):
        subscriber(store, account=account)
    subscription = subscriber(store, account=ended)
    publish(store)
    members.remove_member(store, OPERATOR, ORGANIZATION, gone)
    # A return does not renew what the removal ended.
    join(store, ORGANIZATION, "member", gone)
    subscriptions.unsubscribe(store, principal(store, ended), ORGANIZATION, subscription)
    with store.session() as session:
        session.execute(update(Account).where(Account.id == unverified).values(verified_at=None))
    assert received(store, server, inbox) == []
    assert caplog.text.count("the subscription has ended") == 2
    assert "the address of the account is not verified" in caplog.text
    assert take_due(store) is None


def test_a_mail_goes_to_the_present_address(store: ControlStore, inbox: Inbox, server: str) -> None:
    account = join(store, ORGANIZATION, "member", make_account(store, "old@example.org"))
    subscriber(store, account=account)
    publish(store)
    with store.session() as session:
        values = {"email": "new@example.org", "email_key": "new@example.org"}
        session.execute(update(Account).where(Account.id == account).values(values))
    assert [one["To"] for one in received(store, server, inbox)] == ["new@example.org"]


def test_a_removed_summary_and_a_draft_are_not_mailed(store: ControlStore, inbox: Inbox, server: str) -> None:
    subscriber(store)
    summary = publish(store)
    [stored] = revisions.stored_since(store, ORGANIZATION, {Period.WEEK: MONDAY})
    revisions.replace_all(store, ORGANIZATION, stored, None)
    running = key_of(start=MONDAY + timedelta(weeks=1))
    publish(store, running, text_of(facts_of(running, is_draft=True)))
    assert received(store, server, inbox) == []
    assert summary


def send_and_die(folder: str, now: Any) -> None:
    """Send one mail, and be killed before it is marked as sent."""
    send = to_folder(Path(folder, "outbox"))

    def last(message: EmailMessage) -> None:
        send(message)
        os._exit(9)

    delivery(open_store(Path(folder), now=lambda: now), last).deliver_due()


def test_a_sender_that_is_killed_before_it_marks_a_mail_sends_it_again_under_the_same_id(
    store: ControlStore, tmp_path: Path, inbox: Inbox, server: str, clock: Clock
) -> None:
    subscription = subscriber(store)
    publish(store)
    process = multiprocessing.get_context("spawn").Process(
        target=send_and_die, args=(str(tmp_path), clock.at)
    )
    process.start()
    process.join()
    assert process.exitcode == 9
    [file] = (tmp_path / "outbox").iterdir()
    first = email.message_from_bytes(file.read_bytes(), policy=default)
    assert received(store, server, inbox) == []
    with store.session() as session:
        chosen = select(SummarySubscription.mailed_at).where(SummarySubscription.id == subscription)
        assert session.scalar(chosen) is None
    clock.at += LEASE
    [second] = received(store, server, inbox)
    assert second["Message-ID"] == first["Message-ID"]
    assert text_in(second) == text_in(first)
    assert received(store, server, inbox) == []
