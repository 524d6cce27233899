"""The control database without an erased person: what is deleted, what stays under the pseudonym, and nobody else's."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import Any

import pytest
from sqlalchemy import select

from api.control.models import (
    Account,
    AiActor,
    ApiToken,
    AuditEntry,
    Base,
    CapexLock,
    CapexLockedRow,
    Correction,
    DeveloperAttribute,
    IdentityDecision,
    IdentityPart,
    IngestToken,
    Invitation,
    Mail,
    Member,
    SignInSession,
    Team,
    TeamMembership,
)
from api.control.permissions import Role
from ingest.erasure.marks import Marks, PersonMarks, names_to_find
from orchestration.deployment import LOCAL_ORGANIZATION, Deployment
from orchestration.people import erased_decisions, erased_files
from orchestration.people.erased_person import Erasing, ErasureRefused, erasing
from orchestration.people.person import Person

NOW = datetime(2026, 5, 1, tzinfo=UTC)
OTHERS = "0190d3b0-0000-7000-8000-0000000000ff"
ACCOUNT, COLLEAGUE = "018f0000-0000-7000-8000-00000000000a", "018f0000-0000-7000-8000-00000000000b"
PRESENT, FORMER, GRACE = (f"5f6f4c5e-7b0a-5e0e-9d43-1c1f1d9a0c1{n}" for n in "abc")
ADDRESS = "ada@lovelace.example"
MARKS, PSEUDONYM = Marks().with_person(
    PersonMarks(frozenset({ADDRESS}), frozenset({"countess"}), names_to_find(["Ada Lovelace"]))
)
PERSON = Person(
    LOCAL_ORGANIZATION, frozenset({PRESENT, FORMER, ACCOUNT}), frozenset({ADDRESS}), frozenset({"countess"})
)
ONE = Erasing(PERSON, frozenset({"Ada Lovelace", "Ada"}), frozenset({PRESENT}), MARKS, PSEUDONYM)
WORDS = (b"lovelace", b"countess", b"Lovelace", *(one.encode() for one in (PRESENT, FORMER, ACCOUNT)))


def _account(account_id: str, email: str, name: str) -> Account:
    return Account(
        id=account_id,
        email=email.title(),
        email_key=email,
        name=name,
        is_platform_administrator=False,
        created_at=NOW,
    )


def _attribute(developer_id: str, attribute: str, value: str) -> DeveloperAttribute:
    return DeveloperAttribute(
        organization_id=LOCAL_ORGANIZATION, developer_id=developer_id, attribute=attribute, value=value
    )


def _decision(number: str, kind: str, *parts: tuple[str, str, str | None]) -> list[Any]:
    decision = IdentityDecision(
        id=number, organization_id=LOCAL_ORGANIZATION, kind=kind, at=NOW, decided_by=ADDRESS, developer_id=PRESENT,
        developer_name="Ada Lovelace",
    )  # fmt: skip
    return [
        decision,
        *(
            IdentityPart(decision_id=number, part_id=part, name=name, email=email)
            for part, name, email in parts
        ),
    ]


def _entry(number: str, organization: str, target: str, **more: Any) -> AuditEntry:
    return AuditEntry(
        id=number, organization_id=organization, at=NOW, actor_kind="account", actor_name=ADDRESS, action="x",
        target_kind="developer", target_id=target, target_name="Ada", **more,
    )  # fmt: skip


def _rows() -> list[Any]:
    here = {"organization_id": LOCAL_ORGANIZATION}
    token = {"created_at": NOW, "expires_at": NOW, "name": "laptop"}
    locked = {"developer": "Ada", "primary_email": ADDRESS, "developer_id": PRESENT, "hours": 160}
    return [
        _account(ACCOUNT, ADDRESS, "Ada Lovelace"),
        _account(COLLEAGUE, "grace@hopper.example", "Grace Hopper"),
        *(Member(**here, account_id=one, role=Role.OWNER, joined_at=NOW) for one in (ACCOUNT, COLLEAGUE)),
        SignInSession(
            id="s", account_id=ACCOUNT, token_hash=b"s" * 32, device="Ada's", created_at=NOW, last_used_at=NOW,
            expires_at=NOW,
        ),
        ApiToken(**here, **token, id="t", key_hash=b"t" * 32, scope="write", created_by=ACCOUNT),
        IngestToken(**here, **token, id="i", key_hash=b"i" * 32, developer_email=ADDRESS),
        Invitation(
            **here, id="n", email=ADDRESS, email_key=ADDRESS, role="member", invited_by="grace@hopper.example",
            generation=1, created_at=NOW, expires_at=NOW,
        ),
        Mail(id="m", kind="x", recipient=ADDRESS.upper(), facts={}, created_at=NOW, due_at=NOW, attempts=0),
        Correction(
            **here, id="c", kind="alias", state="pending", filed_by=COLLEAGUE, filed_by_email="grace@hopper.example",
            filed_at=NOW, developer_id=FORMER, developer_name="Ada", text="Countess Lovelace is slow",
        ),
        _attribute(PRESENT, "role", "engineer"), _attribute(FORMER, "role", "intern"),
        _attribute(PRESENT, "name", "Countess Lovelace"), _attribute(FORMER, "joining_date", "2026-01-01"),
        Team(**here, id="team", name="Team", name_key="team", created_at=NOW),
        TeamMembership(**here, id="p", team_id="team", developer_id=FORMER, start_on=date(2026, 1, 1)),
        AiActor(
            **here, actor=ADDRESS, id="a", developer_id=PRESENT, developer_name="Ada", decided_by=ADDRESS,
            decided_at=NOW,
        ),
        *_decision("d1", "merge", (PRESENT, "Ada Lovelace", None), (FORMER, "Ada", None)),
        *_decision("d2", "split", ("part", "Ada", ADDRESS), ("other", "Grace", "grace@hopper.example")),
        CapexLock(**here, month=date(2026, 4, 1), build_id="b", note="", locked_by=ADDRESS, locked_at=NOW),
        CapexLockedRow(**here, month=date(2026, 4, 1), developer_id=PRESENT, row=locked),
        _entry("e1", LOCAL_ORGANIZATION, PRESENT, before={"note": "lazy"}, after={"note": "slow"}),
        _entry("e2", LOCAL_ORGANIZATION, GRACE, after={"by": "Ada Lovelace", "of": [PRESENT]}),
    ]  # fmt: skip


@pytest.fixture
def stored(deployment: Deployment) -> Deployment:
    with deployment.control() as control:
        control.ensure_organization("Others", organization_id=OTHERS, slug="others")
        with control.session() as session:
            for row in _rows():
                session.add(row)
                session.flush()
    return deployment


def _every(deployment: Deployment, table: type[Base]) -> list[Any]:
    with deployment.control() as control, control.session() as session:
        return list(session.scalars(select(table)))


def test_decisions_stay_under_the_pseudonym_and_what_is_theirs_alone_goes(stored: Deployment) -> None:
    with stored.control() as control:
        assert erased_decisions.erase(control, ONE, "request")
        assert erased_decisions.erase(control, ONE, "request") == {}
    new_id = ONE.developer_id
    for table in (SignInSession, ApiToken, IngestToken, Invitation, Mail, Correction):
        assert _every(stored, table) == [], table
    assert [one.id for one in _every(stored, Account)] == [COLLEAGUE]
    assert [one.account_id for one in _every(stored, Member)] == [COLLEAGUE]
    attributes = {(one.developer_id, one.attribute): one.value for one in _every(stored, DeveloperAttribute)}
    assert attributes == {(new_id, "role"): "engineer", (new_id, "joining_date"): "2026-01-01"}
    assert [one.developer_id for one in _every(stored, TeamMembership)] == [new_id]
    [actor] = _every(stored, AiActor)
    assert (actor.actor, actor.developer_id, actor.developer_name) == (
        PSEUDONYM.address,
        new_id,
        PSEUDONYM.name,
    )
    [split] = _every(stored, IdentityDecision)
    assert (split.id, split.developer_id, split.developer_name) == ("d2", new_id, PSEUDONYM.name)
    assert [one.part_id for one in _every(stored, IdentityPart)] == ["other"]
    [locked] = _every(stored, CapexLockedRow)
    assert (locked.developer_id, locked.row) == (
        new_id,
        {
            "developer": PSEUDONYM.name,
            "primary_email": PSEUDONYM.address,
            "developer_id": new_id,
            "hours": 160,
        },
    )
    entries = {one.id: one for one in _every(stored, AuditEntry)}
    assert (entries["e1"].actor_name, entries["e1"].target_id, entries["e1"].before, entries["e1"].after) == (
        PSEUDONYM.address, new_id, None, None,
    )  # fmt: skip
    assert entries["e2"].after == {"by": PSEUDONYM.name, "of": [new_id]}
    [erasure] = [one for one in entries.values() if one.action == "people.erase"]
    assert (erasure.target_name, erasure.after["reason"]) == (PSEUDONYM.name, "request")
    erased_files.compact(stored)
    for file in stored.settings.data_dir.glob("control.db*"):
        assert [word for word in WORDS if word in file.read_bytes()] == []


def test_an_account_of_another_organization_too_stays(stored: Deployment) -> None:
    with stored.control() as control:
        with control.session() as session:
            session.add(Member(organization_id=OTHERS, account_id=ACCOUNT, role=Role.MEMBER, joined_at=NOW))
            session.add(_entry("e3", OTHERS, PRESENT))
        erased_decisions.erase(control, ONE, "request")
    assert [(one.organization_id, one.account_id) for one in _every(stored, Member)] == [
        (LOCAL_ORGANIZATION, COLLEAGUE),
        (OTHERS, ACCOUNT),
    ]
    assert {one.target_id for one in _every(stored, AuditEntry) if one.id == "e3"} == {PRESENT}


def test_the_last_owner_is_refused(stored: Deployment) -> None:
    with stored.control() as control:
        erasing(control, None, Marks(), PERSON)
        with control.session() as session:
            session.delete(session.get(Member, (LOCAL_ORGANIZATION, COLLEAGUE)))
        with pytest.raises(ErasureRefused, match="last owner"):
            erasing(control, None, Marks(), PERSON)


def _snapshot(*developers: tuple[str, str, bool, list[dict[str, str]]]) -> Any:
    class Snapshot:
        rows: Callable[..., Any] = staticmethod(lambda _: developers)

    return Snapshot()


def test_another_person_with_the_same_name_or_address_stays(deployment: Deployment) -> None:
    shared = "dev@machine"
    mine = [{"name": "Ada Lovelace", "email": ADDRESS}, {"name": "Countess Ada", "email": shared}]
    other = [{"name": "Ada Lovelace", "email": "ada@other.example"}, {"name": "Grace", "email": shared}]
    snapshot = _snapshot((PRESENT, "Ada Lovelace", False, mine), (GRACE, "Ada Lovelace", False, other))
    person = Person(LOCAL_ORGANIZATION, frozenset({PRESENT}), frozenset({ADDRESS, shared}), frozenset())
    with deployment.control() as control:
        one = erasing(control, snapshot, Marks(), person)
    assert one.marks.find("name", "Ada Lovelace") is None
    assert None not in (one.marks.find("name", "Countess Ada"), one.marks.find("name", "Ada, Countess"))
    assert one.marks.find("address", shared) is None
    assert one.marks.find_pair("Grace", shared) is None
    assert one.marks.find_pair("Countess Ada", shared) is not None
    assert one.marks.find("address", ADDRESS) is not None


def test_a_bot_is_refused(deployment: Deployment) -> None:
    snapshot = _snapshot((PRESENT, "Robot", True, []))
    with deployment.control() as control, pytest.raises(ErasureRefused, match="bot"):
        erasing(control, snapshot, Marks(), PERSON)
