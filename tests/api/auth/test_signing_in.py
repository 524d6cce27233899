"""Sign-up, sign-in and sign-out over HTTP, with their mails."""

import email
import re
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any

import httpx
import pytest

from api.control.store import open_store
from tests.api.conftest import client_for, serving
from tests.api.people import Clock, make_account

GOOD, BETTER = "Correct-horse 9 staple", "Battery-8 lorry mast"


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory, database: str) -> Path:
    return tmp_path_factory.mktemp("signing-in")


@pytest.fixture(scope="module")
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="module")
def served(data_dir: Path, clock: Clock) -> Iterator[str]:
    with serving(data_dir, clock, EAS_APP_URL="https://eas.example") as address:
        yield address


@pytest.fixture
def client(served: str, clock: Clock) -> Iterator[httpx.Client]:
    # Allowances of the test before are forgotten.
    clock.advance(days=1)
    with client_for(served, None) as made:
        yield made


@pytest.fixture
def address(request: pytest.FixtureRequest) -> str:
    """An address of the test's own."""
    return f"P{abs(hash(request.node.nodeid))}@Example.org"


def letters(data_dir: Path, to: str, number: int = 1) -> list[EmailMessage]:
    """Wait for this many mails to an address; oldest first."""
    for _ in range(400):
        paths = sorted((data_dir / "outbox" / "mails").glob("*.eml"))
        found = [email.message_from_bytes(path.read_bytes(), policy=default) for path in paths]
        mine = [one for one in found if one["To"] == to]
        if len(mine) >= number:
            return mine
        time.sleep(0.01)
    raise AssertionError(f"{len(mine)} of {number} mails")


def link(letter: EmailMessage, page: str) -> str:
    [secret] = re.findall(rf"https://eas\.example/{page}#([\w-]+)", letter.get_content())
    return str(secret)


def sign_up(client: httpx.Client, address: str) -> dict[str, Any]:
    answer = client.post("/auth/signUp", json={"email": address, "password": GOOD, "name": "Ada"})
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def sign_in(client: httpx.Client, address: str, password: str = GOOD, **more: str) -> httpx.Response:
    return client.post("/auth/signIn", json={"email": address, "password": password, **more})


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def test_an_account_is_made_signs_in_and_out(client: httpx.Client, address: str) -> None:
    made = sign_up(client, address)
    assert made["account"]["email"] == address
    assert not made["account"]["isVerified"]
    assert made["activeOrganizationId"] is None
    signed = sign_in(client, address.upper(), device="a phone").json()
    assert signed["account"]["id"] == made["account"]["id"]
    headers = bearer(signed["token"])
    assert client.get("/auth/account", headers=headers).json() == made["account"]
    listed = client.get("/auth/sessions", headers=headers).json()["sessions"]
    assert [(one["device"], one["isCurrent"]) for one in listed] == [
        ("a phone", True),
        ("python-httpx/" + httpx.__version__, False),
    ]
    assert client.post("/auth/signOut", headers=headers).json() == {}
    assert client.get("/auth/account", headers=headers).status_code == 401
    assert client.get("/auth/account", headers=bearer(made["token"])).status_code == 200


def test_signing_out_everywhere_ends_every_session_at_once(client: httpx.Client, address: str) -> None:
    tokens = [
        sign_up(client, address)["token"],
        *(sign_in(client, address).json()["token"] for _ in range(2)),
    ]
    assert all(client.get("/auth/account", headers=bearer(token)).status_code == 200 for token in tokens)
    client.post("/auth/signOutEverywhere", headers=bearer(tokens[1]))
    assert all(client.get("/auth/account", headers=bearer(token)).status_code == 401 for token in tokens)


def test_a_session_ends_only_sessions_of_its_account(client: httpx.Client, address: str) -> None:
    made, second = sign_up(client, address), sign_in(client, address).json()
    other = sign_up(client, f"other-{address}")
    ending = f"/auth/sessions/{made['sessionId']}"
    foreign = client.delete(ending, headers=bearer(other["token"]))
    unknown = client.delete("/auth/sessions/none", headers=bearer(other["token"]))
    assert (foreign.status_code, unknown.status_code) == (404, 404)
    assert foreign.text.replace(made["sessionId"], "none") == unknown.text
    assert client.delete(ending, headers=bearer(second["token"])).status_code == 200
    assert client.get("/auth/account", headers=bearer(made["token"])).status_code == 401


@pytest.mark.both_databases
def test_a_session_expires(client: httpx.Client, clock: Clock, address: str) -> None:
    headers = bearer(sign_up(client, address)["token"])
    clock.advance(days=29.9)
    assert client.get("/auth/account", headers=headers).status_code == 200
    clock.advance(days=0.2)
    answer = client.get("/auth/account", headers=headers)
    assert answer.status_code == 401
    assert "expired" in answer.json()["message"]


def test_the_last_use_of_a_session_is_kept_to_the_minute(
    client: httpx.Client, clock: Clock, address: str
) -> None:
    headers = bearer(sign_up(client, address)["token"])
    used = []
    for seconds in (30, 20, 15):
        clock.advance(seconds=seconds)
        client.get("/auth/account", headers=headers)
        used.append(client.get("/auth/sessions", headers=headers).json()["sessions"][0]["lastUsedAt"])
    assert used[0] == used[1] != used[2]


@pytest.mark.both_databases
def test_an_address_is_registered_once_also_by_concurrent_sign_ups(
    client: httpx.Client, served: str, address: str
) -> None:
    body = {"password": GOOD, "name": "Ada"}
    # As many as one address may try.
    spelled = [address, address.lower(), address.upper()]
    with ThreadPoolExecutor(3) as pool:
        answers = list(
            pool.map(lambda one: httpx.post(f"{served}/auth/signUp", json={"email": one, **body}), spelled)
        )
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409]
    for answer in answers:
        if answer.status_code == 409:
            assert answer.json()["code"] == 6
            assert "already registered" in answer.json()["message"]


def test_every_loser_of_many_concurrent_sign_ups_reads_one_of_two_texts(served: str, address: str) -> None:
    body = {"email": address, "password": GOOD, "name": "Ada"}
    with ThreadPoolExecutor(24) as pool:
        answers = list(
            pool.map(lambda _: httpx.post(f"{served}/auth/signUp", json=body, timeout=60), range(24))
        )
    told = Counter(
        "registered"
        if "is already registered; sign in" in answer.text
        else answer.text.split("; try again")[0]
        for answer in answers
        if answer.status_code != 200
    )
    assert told.pop("registered") == 2
    assert list(told.values()) == [21]
    assert "too many attempts to sign up" in next(iter(told))


def test_signing_up_tells_of_a_registered_address_a_few_times(
    client: httpx.Client, clock: Clock, address: str
) -> None:
    def tried(one: str, password: str = GOOD) -> httpx.Response:
        return client.post("/auth/signUp", json={"email": one, "password": password, "name": "Ada"})

    sign_up(client, address)
    clock.advance(hours=1)
    answers = [tried(one) for one in (address, address.upper(), address, address.lower(), address)]
    assert [answer.status_code for answer in answers] == [409] * 3 + [429] * 2
    assert 0 < int(answers[-1].headers["retry-after"]) <= 600
    # A new address, first with passwords that are too weak, is not held up.
    assert [tried(f"new-{address}", "weak").status_code for _ in range(5)] == [400] * 5
    assert tried(f"new-{address}").status_code == 200
    clock.advance(minutes=10)
    assert tried(address).status_code == 409


def test_the_checklist_is_shown_rule_by_rule(client: httpx.Client, address: str) -> None:
    answer = client.post("/auth/checkPassword", json={"password": "short"}).json()
    assert not answer["isAcceptable"]
    assert {rule["rule"]: rule["isMet"] for rule in answer["rules"]}["LENGTH"] is False
    unmet = [rule["description"] for rule in answer["rules"] if not rule["isMet"]]
    refused = client.post("/auth/signUp", json={"email": address, "password": "short", "name": "Ada"})
    assert refused.status_code == 400
    ((violations,),) = [[detail["fieldViolations"]] for detail in refused.json()["details"]]
    assert [(one["field"], one["description"]) for one in violations] == [("password", d) for d in unmet]
    assert "short" not in refused.text
    assert client.post("/auth/checkPassword", json={"password": GOOD}).json()["isAcceptable"]


def test_guessing_is_slowed_for_one_account_and_place_and_no_other(
    client: httpx.Client, clock: Clock, address: str
) -> None:
    sign_up(client, address)
    sign_up(client, f"other-{address}")
    codes = [sign_in(client, address, "wrong").status_code for _ in range(7)]
    assert codes == [401] * 5 + [429] * 2
    refused = sign_in(client, address, GOOD)
    assert (refused.status_code, refused.json()["code"]) == (429, 8)
    wait = int(refused.headers["retry-after"])
    assert 0 < wait <= 30
    assert sign_in(client, f"other-{address}").status_code == 200
    clock.advance(seconds=wait)
    assert sign_in(client, address, GOOD).status_code == 200


def test_unknown_addresses_are_slowed_alike(client: httpx.Client, address: str) -> None:
    answers = [sign_in(client, address, "wrong") for _ in range(7)]
    assert [answer.status_code for answer in answers] == [401] * 5 + [429] * 2
    assert answers[0].json()["message"] == "the e-mail address or the password is wrong"


def test_correct_passwords_are_never_rate_limited(client: httpx.Client, address: str) -> None:
    sign_up(client, address)
    assert {sign_in(client, address).status_code for _ in range(12)} == {200}


def test_a_forgotten_password_is_replaced_by_a_mailed_link_once(
    client: httpx.Client, data_dir: Path, address: str
) -> None:
    token = sign_up(client, address)["token"]
    asked = client.post("/auth/requestPasswordReset", json={"email": address.swapcase()})
    assert (asked.status_code, asked.json()) == (200, {})
    letter = letters(data_dir, address, 2)[1]
    assert letter["Subject"] == "Choose a new password"
    secret = link(letter, "resetPassword")
    weak = client.post("/auth/resetPassword", json={"token": secret, "password": "weak"})
    assert (weak.status_code, weak.json()["code"]) == (400, 3)
    change = {"token": secret, "password": BETTER}
    assert client.post("/auth/resetPassword", json=change).json() == {}
    again = client.post("/auth/resetPassword", json=change)
    assert (again.status_code, again.json()["code"]) == (400, 9)
    assert secret not in again.text
    assert client.get("/auth/account", headers=bearer(token)).status_code == 401
    assert sign_in(client, address, GOOD).status_code == 401
    assert sign_in(client, address, BETTER).json()["account"]["isVerified"]


def test_a_reset_reveals_nothing_about_the_address(
    client: httpx.Client, data_dir: Path, address: str
) -> None:
    sign_up(client, address)
    known, unknown = (
        [client.post("/auth/requestPasswordReset", json={"email": one}) for _ in range(4)]
        for one in (address, f"nobody-{address}")
    )
    for one, other in zip(known, unknown, strict=True):
        assert (one.status_code, one.text) == (other.status_code, other.text)
        assert one.headers.keys() == other.headers.keys()
    assert [answer.status_code for answer in known] == [200, 200, 200, 429]
    assert len(letters(data_dir, address, 4)) == 4
    assert not [
        path
        for path in (data_dir / "outbox" / "mails").iterdir()
        if b"nobody-" + address.lower().encode() in path.read_bytes().lower()
    ]


def test_the_welcome_proves_the_address_once(client: httpx.Client, data_dir: Path, address: str) -> None:
    headers = bearer(sign_up(client, address)["token"])
    secret = link(letters(data_dir, address)[0], "verifyEmail")
    proof = {"token": secret, "password": GOOD}
    assert client.post("/auth/verifyEmail", json=proof).json()["isVerified"]
    assert client.get("/auth/account", headers=headers).json()["isVerified"]
    assert client.post("/auth/verifyEmail", json=proof).status_code == 400
    again = client.post("/auth/requestEmailVerification", headers=headers)
    assert (again.status_code, again.json()["code"]) == (400, 9)


def test_another_confirmation_is_mailed_on_request(
    client: httpx.Client, data_dir: Path, address: str
) -> None:
    headers = bearer(sign_up(client, address)["token"])
    codes = [client.post("/auth/requestEmailVerification", headers=headers).status_code for _ in range(4)]
    assert codes == [200, 200, 200, 429]
    secret = link(letters(data_dir, address, 4)[3], "verifyEmail")
    verified = client.post("/auth/verifyEmail", json={"token": secret}, headers=headers)
    assert verified.status_code == 200


def test_a_mailed_confirmation_needs_the_account_too(
    client: httpx.Client, data_dir: Path, address: str
) -> None:
    """The link went to the owner of the address, and somebody else may have signed up with it."""
    headers = bearer(sign_up(client, address)["token"])
    other = bearer(sign_up(client, f"other-{address}")["token"])
    proof = {"token": link(letters(data_dir, address)[0], "verifyEmail")}
    for more, sent in (({}, None), ({"password": BETTER}, None), ({}, other), ({}, bearer("session_x"))):
        refused = client.post("/auth/verifyEmail", json=proof | more, headers=sent)
        assert (refused.status_code, refused.json()["code"]) == (400, 9)
        assert "reset the password instead" in refused.json()["message"]
    assert not client.get("/auth/account", headers=headers).json()["isVerified"]
    for _ in range(8):
        last = client.post("/auth/verifyEmail", json=proof | {"password": BETTER})
    assert (last.status_code, last.json()["code"]) == (429, 8)


def test_a_password_is_changed_given_the_present_one(client: httpx.Client, address: str) -> None:
    headers, other = (
        bearer(sign_up(client, address)["token"]),
        bearer(sign_in(client, address).json()["token"]),
    )
    wrong = {"currentPassword": BETTER, "password": BETTER}
    assert client.post("/auth/changePassword", json=wrong, headers=headers).status_code == 400
    right = {"currentPassword": GOOD, "password": BETTER}
    assert client.post("/auth/changePassword", json=right, headers=headers).status_code == 200
    assert client.get("/auth/account", headers=headers).status_code == 200
    assert client.get("/auth/account", headers=other).status_code == 401


def test_a_changed_password_lets_no_earlier_reset_link_work(
    client: httpx.Client, data_dir: Path, address: str
) -> None:
    headers = bearer(sign_up(client, address)["token"])
    client.post("/auth/requestPasswordReset", json={"email": address})
    secret = link(letters(data_dir, address, 2)[1], "resetPassword")
    change = {"currentPassword": GOOD, "password": BETTER}
    assert client.post("/auth/changePassword", json=change, headers=headers).status_code == 200
    late = client.post("/auth/resetPassword", json={"token": secret, "password": GOOD})
    assert (late.status_code, late.json()["code"]) == (400, 9)
    assert sign_in(client, address, BETTER).status_code == 200


def test_an_account_without_a_password_cannot_sign_in(
    client: httpx.Client, data_dir: Path, address: str
) -> None:
    store = open_store(data_dir)
    make_account(store, address)
    store.close()
    assert sign_in(client, address, "").status_code == 401
    assert sign_in(client, address, "nobody's password").status_code == 401


@pytest.mark.parametrize("pieces", [None, 3])
def test_a_body_that_is_too_large_is_refused(client: httpx.Client, pieces: int | None) -> None:
    content = b'{"password": "' + b"x" * 2_000_000 + b'"}'
    # A body in pieces does not say its size beforehand.
    body: Any = content if pieces is None else iter([content[i::pieces] for i in range(pieces)])
    answer = client.post("/auth/checkPassword", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 413
    assert answer.json()["code"] == 3
