"""`/impersonate`: one use of each credential, and one answer for every defect."""

import re
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import httpx
import pytest

from api.control.accounts import root_logins
from api.control.store import ControlStore
from api.operator.root_keys import SUPPORT_KEYS
from tests.api.conftest import client_for, serving
from tests.api.operator.signing import (
    ADDRESS,
    KEY,
    PUBLIC,
    license_of,
    root_credential,
    signed,
)
from tests.api.people import Clock
from tests.api.roots import administrator_key

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
MESSAGE = "this root login is invalid or expired"
AT_ONCE = 16
# Headers that every answer has for itself.
OF_EACH = ("date", "x-request-id")


@pytest.fixture(autouse=True)
def _key() -> Iterator[None]:
    with administrator_key():
        yield


@pytest.fixture
def acme(store: ControlStore) -> str:
    return store.ensure_organization("Acme", slug="acme").id


@pytest.fixture
def address(store: ControlStore, tmp_path: Path, clock: Clock, acme: str) -> Iterator[str]:
    with serving(tmp_path, clock, EAS_APP_URL=f"{ADDRESS}/") as served:
        yield served


@pytest.fixture
def client(address: str) -> Iterator[httpx.Client]:
    with client_for(address, None) as made:
        yield made


def post(client: httpx.Client, credential: str, **headers: str) -> httpx.Response:
    return client.post("/impersonate", data={"credential": credential}, headers=headers)


@pytest.mark.both_databases
def test_a_credential_signs_in_once(client: httpx.Client, clock: Clock) -> None:
    credential = root_credential(clock(), iss="ada@laptop", id="login-7")
    answer = post(client, credential)
    assert (answer.status_code, answer.headers["cache-control"]) == (200, "no-store")
    body = answer.json()
    assert body["token"].startswith("root_")
    assert (body["issuer"], body["credentialId"], body["signer"]) == (
        "ada@laptop",
        "login-7",
        "ADMINISTRATOR",
    )
    header = {"Authorization": f"Bearer {body['token']}"}
    listed = client.get("/api/v1/organizations", params={"all": True}, headers=header)
    assert [one["slug"] for one in listed.json()["organizations"]] == ["acme"]
    assert client.get("/api/v1/organizations", headers=header).json()["organizations"] == []
    assert post(client, credential).status_code == 401


def defects(clock: Clock) -> dict[str, tuple[bytes, dict[str, str], str]]:
    """Body, headers and query of requests that sign nobody in."""
    good = root_credential(clock())

    def form(text: str) -> bytes:
        return f"credential={text}".encode()

    return {
        "no field": (b"", FORM, ""),
        "another field": (f"token={good}".encode(), FORM, ""),
        "field in other case": (f"Credential={good}".encode(), FORM, ""),
        "two fields": (form(good) + b"&" + form(good), FORM, ""),
        "many fields": (b"a=1&" * 50 + form(good), FORM, ""),
        "empty field": (form(""), FORM, ""),
        "no form": (form(good), {}, ""),
        "json": (f'{{"credential": "{good}"}}'.encode(), {"Content-Type": "application/json"}, ""),
        "no text": (b"credential=\xff\xfe", FORM, ""),
        "odd text": (form("%00%ff%ED%A0%80"), FORM, ""),
        "long text": (form("a" * 900_000), FORM, ""),
        "also in the query": (form(good), FORM, f"?credential={good}"),
        "query alone": (b"", FORM, f"?credential={good}"),
        "any query": (form(good), FORM, "?a&a"),
        "malformed": (form("impersonate"), FORM, ""),
        "unsigned": (form(good.rpartition(".")[0] + "."), FORM, ""),
        "expired": (
            form(root_credential(clock(), exp=clock().timestamp() - 1, iat=clock().timestamp() - 9)),
            FORM,
            "",
        ),
        "too long": (form(root_credential(clock(), exp=clock().timestamp() + 601)), FORM, ""),
        "other audience": (form(root_credential(clock(), aud="https://other.example")), FORM, ""),
        "older script": (form(signed({"email": "a@x.org", "exp": clock().timestamp() + 60})), FORM, ""),
        "without id": (form(root_credential(clock(), id=None)), FORM, ""),
        "license": (form(license_of()), FORM, ""),
    }


def test_every_defect_has_the_same_answer_and_leaves_the_credential_unused(
    client: httpx.Client, store: ControlStore, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    for defect, (body, headers, query) in defects(clock).items():
        caplog.clear()
        answer = client.post(f"/impersonate{query}", content=body, headers=headers)
        assert (defect, answer.status_code) == (defect, 401)
        assert answer.json() == {"code": 16, "message": MESSAGE, "details": []}
        assert answer.headers["cache-control"] == "no-store"
        # The log has the reason and none of the text.
        assert re.search(r"a root login from 127\.0\.0\.1 was refused: [a-z]", caplog.text)
        for part in re.findall(rb"[\w.-]{20,}", body + query.encode()):
            assert part.decode() not in caplog.text
    assert root_logins.list_logins(store) == []


def test_refusals_differ_neither_in_headers_nor_much_in_time(client: httpx.Client, clock: Clock) -> None:
    used, header_sets, times = root_credential(clock()), [], []
    assert post(client, used).status_code == 200
    for credential in ("", "x", used, root_credential(clock(), id=None), root_credential(clock(), aud="x")):
        started = time.monotonic()
        answer = post(client, credential)
        times.append(time.monotonic() - started)
        header_sets.append({name: value for name, value in answer.headers.items() if name not in OF_EACH})
    assert all(one == header_sets[0] for one in header_sets)
    assert min(times) >= 0.1


@pytest.mark.both_databases
def test_of_concurrent_posts_of_one_credential_one_signs_in(
    client: httpx.Client, store: ControlStore, clock: Clock
) -> None:
    credential, start = root_credential(clock()), threading.Barrier(AT_ONCE)

    def sign_in_once(_: int) -> int:
        start.wait()
        return post(client, credential).status_code

    with ThreadPoolExecutor(AT_ONCE) as pool:
        codes = sorted(pool.map(sign_in_once, range(AT_ONCE)))
    assert codes == [200] + [401] * (AT_ONCE - 1)
    assert len(root_logins.list_logins(store)) == 1


def test_any_other_method_names_post_whatever_the_query(
    client: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    queries = ("", "?credential=s3cr3t", "?s3cr3t", "?a_b=s3cr3t&a_b=%ff", "?credential=%00s3cr3t;")
    for method in ("GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"):
        for query in queries:
            answer = client.request(method, f"/impersonate{query}")
            assert (method, answer.status_code, answer.headers["allow"]) == (method, 405, "POST")
            assert "s3cr3t" not in answer.text + str(answer.headers)
    assert "s3cr3t" not in caplog.text


def test_the_clock_decides_when_a_credential_works(client: httpx.Client, clock: Clock) -> None:
    signed_at = clock()
    for seconds, code in ((-30.1, 401), (-30, 200), (0, 200), (599.9, 200), (600, 401), (601, 401)):
        clock.at = signed_at + timedelta(seconds=seconds)
        answer = post(client, root_credential(signed_at))
        assert (seconds, answer.status_code) == (seconds, code)


def test_a_browser_gets_a_page_that_is_neither_kept_nor_named(client: httpx.Client, clock: Clock) -> None:
    credential = root_credential(clock(), iss="<b>ada</b>")
    pages = [post(client, credential, Accept="text/html,application/xhtml+xml") for _ in range(2)]
    assert [page.status_code for page in pages] == [200, 401]
    # The form of the first one goes on to the dashboard, which takes no form of an unnamed origin.
    for page, named in zip(pages, ("same-origin", "no-referrer"), strict=True):
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        assert (page.headers["cache-control"], page.headers["referrer-policy"]) == ("no-store", named)
        assert "default-src 'none'" in page.headers["content-security-policy"]
    token = re.search(r">(root_[\w-]{43})</code>", pages[0].text)
    assert token is not None
    assert "&lt;b&gt;ada&lt;/b&gt;" in pages[0].text
    assert client.get("/api/v1/license", headers={"Authorization": f"Bearer {token[1]}"}).status_code == 200
    assert MESSAGE in pages[1].text.lower()


def test_many_attempts_are_limited(client: httpx.Client, clock: Clock) -> None:
    with ThreadPoolExecutor(AT_ONCE) as pool:
        assert set(pool.map(lambda _: post(client, "").status_code, range(60))) == {401}
    answer = post(client, root_credential(clock()))
    assert (answer.status_code, "retry-after" in answer.headers) == (429, True)
    clock.advance(seconds=5)
    assert post(client, root_credential(clock())).status_code == 200


def test_the_tests_sign_with_a_key_of_their_own() -> None:
    assert PUBLIC not in SUPPORT_KEYS
    assert KEY.as_dict(private=False)["x"] == PUBLIC
