"""Limits of invitations: who may send how many mails."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from api.control.accounts import invitations
from api.control.accounts.invitations import (
    INVITATIONS_BY_ONE,
    MAILS_TO_ONE,
    MAILS_TO_ONE_BY_ONE,
    MAILS_TO_ONE_HERE,
)
from api.control.accounts.mails import MailKind, queue_mail
from api.control.accounts.tokens import create_token
from api.control.models import Account, AuditEntry
from api.control.permissions import Role
from api.control.store import ControlStore
from tests.api.conftest import client_for, serving
from tests.api.people import Clock, join, make_account, principal, sign_in


@pytest.fixture
def organizations(store: ControlStore) -> list[str]:
    return [store.ensure_organization(name, slug=name.lower()).id for name in ("Acme", "Other")]


@pytest.fixture
def ada(store: ControlStore, organizations: list[str]) -> str:
    """The owner of both."""
    account = make_account(store, "ada@example.org")
    for organization in organizations:
        join(store, organization, "owner", account)
    return account


@pytest.fixture
def served(tmp_path: Path, store: ControlStore, clock: Clock) -> Iterator[str]:
    with serving(tmp_path, clock) as address:
        yield address


@pytest.fixture
def client(store: ControlStore, ada: str, served: str) -> Iterator[httpx.Client]:
    with client_for(served, sign_in(store, ada)) as made:
        yield made


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> int:
    """How many invitations an account may make at once: a tenth of the two hundred that another test makes."""
    limit = replace(INVITATIONS_BY_ONE, burst=INVITATIONS_BY_ONE.burst // 10)
    monkeypatch.setattr(invitations, "INVITATIONS_BY_ONE", limit)
    return limit.burst


def invite(client: httpx.Client, email: str, slug: str = "acme") -> httpx.Response:
    return client.post(f"/api/v1/organizations/{slug}/invitations", json={"email": email})


def refused(answer: httpx.Response, clock: Clock) -> str:
    """The message of a refusal. The clock then advances by the wait in it."""
    assert (answer.status_code, answer.json()["code"]) == (429, 8), answer.text
    clock.advance(seconds=int(answer.headers["Retry-After"]))
    return str(answer.json()["message"])


def sent(store: ControlStore) -> int:
    """Each mail of an invitation goes with an entry of the audit log."""
    with store.session() as session:
        entries = select(func.count()).where(AuditEntry.target_kind == "invitation")
        return session.scalar(entries) or 0


@pytest.fixture
def mails(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """The number of mails to each address."""
    queued: Counter[str] = Counter()

    def queue(session: Session, now: datetime, kind: MailKind, recipient: str, **facts: Any) -> None:
        queued[recipient.lower()] += 1
        queue_mail(session, now, kind, recipient, **facts)

    monkeypatch.setattr(invitations, "queue_mail", queue)
    return queued


def owner_of(store: ControlStore, slug: str) -> str:
    """The session of a new account that owns one new organization."""
    return sign_in(store, join(store, store.ensure_organization(slug, slug=slug).id, "owner"))


def unproven(store: ControlStore, account: str) -> None:
    """Make the account one that somebody signed up with and never verified."""
    with store.session() as session:
        row = session.get_one(Account, account)
        row.verified_at, row.password_hash = None, "nobody's"


def test_one_organization_cannot_use_up_the_invitations_of_another(
    client: httpx.Client, store: ControlStore, served: str, organizations: list[str], mails: Counter[str]
) -> None:
    other = sign_in(store, join(store, organizations[1], "admin"))
    with client_for(served, other) as second:
        for number in range(MAILS_TO_ONE_HERE.burst + 20):
            answer = invite(second, ("g@example.org", "G@Example.org ")[number % 2], "other")
            assert answer.status_code == 200, answer.text
    assert mails["g@example.org"] == MAILS_TO_ONE_HERE.burst
    # Of that the other organization learns nothing, and its invitation is mailed.
    first, plain = invite(client, "g@example.org"), invite(client, "new@example.org")
    assert first.status_code == plain.status_code == 200
    assert first.json().keys() == plain.json().keys()
    assert mails["g@example.org"] == MAILS_TO_ONE_HERE.burst + 1


def test_mails_to_an_address_are_limited_and_links_can_still_be_copied(
    client: httpx.Client, store: ControlStore, ada: str, served: str, mails: Counter[str], clock: Clock
) -> None:
    slugs = [f"company{number}" for number in range(MAILS_TO_ONE.burst + 2)]
    owners = [owner_of(store, slug) for slug in slugs]
    for slug, owner in zip(slugs, owners, strict=True):
        with client_for(served, owner) as sender:
            assert invite(sender, "g@example.org", slug).status_code == 200
    assert mails["g@example.org"] == MAILS_TO_ONE.burst
    with client_for(served, owners[-1]) as last:
        unmailed = last.get(f"/api/v1/organizations/{slugs[-1]}/invitations").json()["invitations"][0]
        token = unmailed["link"].partition("#")[2]
        looked_up = client.post("/auth/lookUpInvitation", json={"token": token})
        assert looked_up.status_code == 200, looked_up.text
        clock.advance(seconds=MAILS_TO_ONE.every.total_seconds())
        assert invite(last, "g@example.org", slugs[-1]).status_code == 200
    assert mails["g@example.org"] == MAILS_TO_ONE.burst + 1


def test_several_organizations_and_keys_cannot_use_up_the_mails_to_an_address(
    client: httpx.Client, store: ControlStore, ada: str, served: str, mails: Counter[str]
) -> None:
    answers = []
    for number in range(MAILS_TO_ONE.burst):
        organization = store.ensure_organization(f"Company {number}", slug=f"company{number}").id
        join(store, organization, "owner", ada)
        key = create_token(store, organization, "ci", scope="write", actor=principal(store, ada)).key
        with client_for(served, key) as keyed:
            answers.append(invite((client, keyed)[number % 2], "g@example.org", f"company{number}"))
    assert {answer.status_code for answer in answers} == {200}
    assert mails["g@example.org"] == MAILS_TO_ONE_BY_ONE.burst
    # Another inviter's mails are still sent, and no answer shows whether a mail was sent.
    with client_for(served, owner_of(store, "elsewhere")) as second:
        for _ in range(MAILS_TO_ONE_BY_ONE.burst):
            answers.append(invite(second, "g@example.org", "elsewhere"))
            assert answers[-1].status_code == 200
    assert mails["g@example.org"] == 2 * MAILS_TO_ONE_BY_ONE.burst
    assert len({frozenset(answer.json()) for answer in answers}) == 1


def test_one_inviter_cannot_use_up_most_mails_to_an_address(
    store: ControlStore, ada: str, organizations: list[str], mails: Counter[str], clock: Clock
) -> None:
    third = store.ensure_organization("Third").id
    join(store, third, "owner", ada)
    asked = principal(store, ada)
    for _ in range(7 * 24):
        for organization in [*organizations, third]:
            invitations.invite(store, asked, organization, "g@example.org", Role.MEMBER)
        clock.advance(hours=1)
    assert mails["g@example.org"] <= (MAILS_TO_ONE.burst + timedelta(days=7) / MAILS_TO_ONE.every) / 3


def test_a_company_of_two_hundred_is_invited_at_once_and_repeating_an_invitation_is_never_refused(
    client: httpx.Client, mails: Counter[str]
) -> None:
    for number in range(200):
        assert invite(client, f"g{number}@example.org").status_code == 200
    assert mails.total() == 200
    assert "try again in 5 minutes, or copy the links" in refused(invite(client, "late@example.org"), Clock())
    links = set()
    for _ in range(MAILS_TO_ONE_HERE.burst + 1):
        answer = invite(client, "G0@example.org")
        assert answer.status_code == 200, answer.text
        links.add(answer.json()["link"])
    assert len(links) == MAILS_TO_ONE_HERE.burst + 1
    assert mails["g0@example.org"] == MAILS_TO_ONE_HERE.burst


def test_invitations_of_an_account_are_limited_over_all_organizations_and_keys(
    store: ControlStore,
    client: httpx.Client,
    served: str,
    ada: str,
    organizations: list[str],
    clock: Clock,
    few: int,
) -> None:
    key = create_token(store, organizations[0], "ci", scope="write", actor=principal(store, ada)).key
    with client_for(served, key) as keyed:
        asked = [(client, "acme"), (client, "other"), (keyed, "acme")]
        for number in range(few):
            sender, slug = asked[number % len(asked)]
            assert invite(sender, f"g{number}@example.org", slug).status_code == 200
        for sender, slug in asked:
            answer = invite(sender, "late@example.org", slug)
            assert (answer.status_code, answer.json()["code"]) == (429, 8)
            assert "invite people; try again in" in answer.json()["message"]
        assert sent(store) == few
    later = 0
    for _ in range(6 * 15):
        clock.advance(minutes=4)
        later += invite(client, f"{clock.at.timestamp()}@example.org").status_code == 200
    assert later <= timedelta(hours=6) / INVITATIONS_BY_ONE.every


def test_an_invitation_that_is_refused_uses_nothing_up(
    client: httpx.Client, store: ControlStore, ada: str, few: int
) -> None:
    for _ in range(few + 1):
        assert invite(client, "ada@example.org").status_code == 409
        assert invite(client, "not an address").status_code == 400
    assert sent(store) == 0
    assert invite(client, "g@example.org").status_code == 200


def test_an_account_without_a_verified_address_cannot_invite(
    store: ControlStore,
    client: httpx.Client,
    served: str,
    ada: str,
    organizations: list[str],
    mails: Counter[str],
) -> None:
    key = create_token(store, organizations[0], "ci", scope="write", actor=principal(store, ada)).key
    unproven(store, ada)
    with client_for(served, key) as keyed:
        for sender in (client, keyed):
            answer = invite(sender, "g@example.org")
            assert (answer.status_code, answer.json()["code"]) == (400, 9), answer.text
            assert "/auth/requestEmailVerification" in answer.json()["message"]
    assert sent(store) == 0
    # Nor is the address used up for those who may.
    with store.session() as session:
        session.get_one(Account, ada).verified_at = store.now()
    for _ in range(MAILS_TO_ONE_HERE.burst):
        assert invite(client, "g@example.org").status_code == 200
    assert mails["g@example.org"] == MAILS_TO_ONE_HERE.burst


def test_an_invitation_by_a_key_names_the_address_of_its_creator(
    store: ControlStore, served: str, ada: str, organizations: list[str]
) -> None:
    name = "The bank https://evil.example"
    key = create_token(store, organizations[0], name, scope="write", actor=principal(store, ada)).key
    with client_for(served, key) as keyed:
        assert invite(keyed, "g@example.org").json()["invitedBy"] == "ada@example.org"
