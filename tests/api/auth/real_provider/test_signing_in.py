"""Signing in with a real OpenID Connect provider, over TLS."""

import logging
import time
from pathlib import Path

import pytest
from sqlalchemy import select

from api.control.models import SignInSession
from api.control.store import ControlStore
from tests.api.auth.browsers import APP, Browser, other_browser, parameter, with_parameter
from tests.api.auth.real_provider.conftest import ID, SessionCount
from tests.api.conftest import serving
from tests.api.people import Clock, account_of, stored
from tests.identity_provider.running import SECRET, RealProvider, running

PASSWORD = "Correct-horse 9 staple"
CALLBACK = f"{APP}/auth/callback/{ID}"


def own_lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What the service itself logged: in this process, the browser of the test names every address that it opens."""
    own = ("api", "ingest", "uvicorn")
    return [record.getMessage() for record in caplog.records if record.name.startswith(own)]


def test_a_person_signs_in_and_is_recognized_by_the_subject_from_then_on(
    browser: Browser, provider: RealProvider, people: ControlStore
) -> None:
    provider.signs_in("ada-1", email="Ada@one.example", email_verified=True, name="Ada Lovelace")
    made = browser.sign_in(ID)
    assert (made["account"]["email"], made["account"]["name"]) == ("Ada@one.example", "Ada Lovelace")
    assert made["account"]["isVerified"]
    assert browser.get("/auth/account", made["token"]).json() == made["account"]
    # Another address at the provider moves nothing, verified or not.
    for verified in (True, False):
        provider.signs_in("ada-1", email="countess@one.example", email_verified=verified)
        assert other_browser(browser).sign_in(ID)["account"] == made["account"]
    assert account_of(people, "countess@one.example") is None


def test_the_start_address_redirects_with_state_nonce_and_pkce(browser: Browser) -> None:
    answer = browser.open(f"{APP}/auth/start/{ID}")
    assert answer.status_code == 303
    asked = answer.headers["location"]
    assert parameter(asked, "response_type") == "code"
    assert parameter(asked, "code_challenge_method") == "S256"
    assert parameter(asked, "redirect_uri") == CALLBACK
    assert len({parameter(asked, name) for name in ("state", "nonce", "code_challenge")}) == 3
    cookie = answer.headers["set-cookie"]
    name, _, attributes = cookie.partition("=")
    assert name == "__Host-eas_sign_in"
    assert {"httponly", "secure", "samesite=lax", "path=/", "max-age=600"} <= {
        one.strip().lower() for one in attributes.split(";")
    }
    # The secrets of two flows have nothing in common.
    again = browser.open(f"{APP}/auth/start/{ID}").headers["location"]
    for name in ("state", "nonce", "code_challenge"):
        assert parameter(again, name) != parameter(asked, name)


def test_a_callback_works_once(browser: Browser, provider: RealProvider, session_count: SessionCount) -> None:
    provider.signs_in("ada-2", email="ada@two.example", email_verified=True)
    callback = browser.way(ID)
    assert browser.complete(callback).status_code == 200
    again = browser.open(callback)
    assert (again.status_code, session_count.new()) == (400, 1)
    assert "begin again" in again.text


def test_a_used_code_of_the_provider_begins_no_session_in_a_new_flow(
    browser: Browser, provider: RealProvider, session_count: SessionCount
) -> None:
    provider.signs_in("ada-3", email="ada@three.example", email_verified=True)
    first = browser.way(ID)
    browser.complete(first)
    second = with_parameter(browser.way(ID), code=parameter(first, "code"))
    answer = browser.open(second)
    assert (answer.status_code, session_count.new()) == (400, 1)
    assert "Acme login does not accept the answer" in answer.text


def test_an_unused_code_of_another_flow_is_not_accepted(
    browser: Browser, provider: RealProvider, session_count: SessionCount
) -> None:
    """A code that an attacker got from their own sign-in, injected into the victim's: PKCE binds it to its flow."""
    provider.signs_in("eve-1", email="eve@four.example", email_verified=True)
    attackers = other_browser(browser).way(ID)
    provider.signs_in("ada-4", email="ada@four.example", email_verified=True)
    answer = browser.open(with_parameter(browser.way(ID), code=parameter(attackers, "code")))
    assert (answer.status_code, session_count.new()) == (400, 0)


def test_a_state_belongs_to_one_browser_and_is_used_up_by_another(
    browser: Browser, provider: RealProvider, session_count: SessionCount
) -> None:
    provider.signs_in("ada-5", email="ada@five.example", email_verified=True)
    callback = browser.way(ID)
    stranger = other_browser(browser)
    assert stranger.open(callback).status_code == 400
    stranger.begin(ID)
    assert stranger.open(callback).status_code == 400
    assert browser.open(callback).status_code == 400
    assert session_count.new() == 0


def test_swapped_states_are_refused(
    browser: Browser, provider: RealProvider, session_count: SessionCount
) -> None:
    provider.signs_in("ada-6", email="ada@six.example", email_verified=True)
    other = other_browser(browser)
    mine, theirs = browser.way(ID), other.way(ID)
    swapped = [
        browser.open(with_parameter(mine, state=parameter(theirs, "state"))),
        other.open(with_parameter(theirs, state=parameter(mine, "state"))),
    ]
    assert [answer.status_code for answer in swapped] == [400, 400]
    assert session_count.new() == 0


@pytest.mark.parametrize("address", [CALLBACK, f"{CALLBACK}?code=x", f"{CALLBACK}?state=x&code=x"])
def test_a_callback_out_of_nowhere_is_refused(
    browser: Browser, address: str, session_count: SessionCount
) -> None:
    answer = browser.open(address)
    assert (answer.status_code, session_count.new()) == (400, 0)
    assert answer.headers["content-type"].startswith("text/html")


def test_a_callback_of_another_provider_is_refused(
    browser: Browser, provider: RealProvider, session_count: SessionCount
) -> None:
    provider.signs_in("ada-7", email="ada@seven.example", email_verified=True)
    for issuer in ("https://evil.example", ""):
        answer = browser.open(with_parameter(browser.way(ID), iss=issuer))
        assert (answer.status_code, session_count.new()) == (400, 0)
    without = browser.way(ID)
    assert parameter(without, "iss") == provider.issuer
    # The provider says that it always names itself (RFC 9207).
    answer = browser.open(f"{CALLBACK}?code={parameter(without, 'code')}&state={parameter(without, 'state')}")
    assert (answer.status_code, session_count.new()) == (400, 0)
    assert browser.open(f"{APP}/auth/callback/google?state=x&code=x").status_code == 404


def test_a_new_key_of_the_provider_is_fetched_at_once(browser: Browser, provider: RealProvider) -> None:
    provider.signs_in("ada-12", email="ada@twelve.example", email_verified=True)
    first = browser.sign_in(ID)
    provider.rotate_keys()
    assert browser.sign_in(ID)["account"] == first["account"]
    assert browser.sign_in(ID)["account"] == first["account"]


@pytest.mark.parametrize(("seconds", "status"), [(-120, 400), (-45, 303), (45, 303), (3600, 400)], ids=str)
def test_clocks_may_differ_by_a_minute(
    browser: Browser,
    provider: RealProvider,
    real_clock: Clock,
    session_count: SessionCount,
    seconds: int,
    status: int,
) -> None:
    provider.signs_in(f"ada-13{seconds}", email=f"ada{seconds}@thirteen.example", email_verified=True)
    real_clock.advance(seconds=seconds)
    answer = browser.open(browser.way(ID))
    assert (answer.status_code, session_count.new()) == (status, 0)
    if status == 400:
        assert "check the clocks" in answer.text


def test_a_flow_ends_after_ten_minutes(
    browser: Browser, provider: RealProvider, real_clock: Clock, session_count: SessionCount
) -> None:
    provider.signs_in("ada-14", email="ada@fourteen.example", email_verified=True)
    callback = browser.way(ID)
    real_clock.advance(minutes=10)
    answer = browser.open(callback)
    assert (answer.status_code, session_count.new()) == (400, 0)
    assert "older than 10 minutes" in answer.text


def test_a_one_time_code_ends_after_a_minute(
    browser: Browser, provider: RealProvider, real_clock: Clock, session_count: SessionCount
) -> None:
    provider.signs_in("ada-14", email="ada@fourteen.example", email_verified=True)
    address = browser.open(browser.way(ID)).headers["location"]
    real_clock.advance(minutes=1)
    late = browser.post("/auth/completeSignIn", {"code": address.partition("#")[2]})
    assert (late.status_code, late.json()["code"], session_count.new()) == (400, 9, 0)


def test_a_one_time_code_belongs_to_its_browser_and_works_once(
    browser: Browser, provider: RealProvider, session_count: SessionCount
) -> None:
    provider.signs_in("ada-15", email="ada@fifteen.example", email_verified=True)

    def code() -> str:
        return str(browser.open(browser.way(ID)).headers["location"]).partition("#")[2]

    stranger = other_browser(browser)
    stranger.begin(ID)
    stolen = code()
    assert stranger.post("/auth/completeSignIn", {"code": stolen}).status_code == 400
    # A thief uses it up.
    assert browser.post("/auth/completeSignIn", {"code": stolen}).status_code == 400
    kept = code()
    answers = [browser.post("/auth/completeSignIn", {"code": kept}).status_code for _ in range(3)]
    assert (answers, session_count.new()) == ([200, 400, 400], 1)


def test_a_refusal_of_the_provider_is_told_in_own_words(
    browser: Browser, provider: RealProvider, session_count: SessionCount, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    hostile = "Call 555 and say your password <script>alert(1)</script>"
    provider.signs_in("nobody", refuses=hostile)
    answer = browser.open(browser.way(ID))
    assert (answer.status_code, session_count.new()) == (400, 0)
    assert "you cancelled" in answer.text
    # What the service itself writes: the browser of the test names every address.
    assert "Call 555" not in answer.text + "".join(own_lines(caplog))
    assert "<script>" not in answer.text
    # The state is used up by it.
    assert browser.open(with_parameter(browser.seen[-1], code="x")).status_code == 400


def test_a_provider_that_is_down_gives_a_page_that_says_so_and_no_session(
    browser: Browser,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    folder: Path,
    real_clock: Clock,
    session_count: SessionCount,
) -> None:
    with running(tmp_path, [f"{APP}/auth/callback/gitlab"]) as dying:
        monkeypatch.setenv("SSL_CERT_FILE", str(dying.authority))
        monkeypatch.setenv("EAS_SIGN_IN_GITLAB_CLIENT_ID", "eas")
        monkeypatch.setenv("EAS_SIGN_IN_GITLAB_CLIENT_SECRET", SECRET)
        monkeypatch.setenv("EAS_SIGN_IN_GITLAB_ISSUER", dying.issuer)
        with serving(folder, real_clock, EAS_APP_URL=APP) as address:
            here = Browser(address, str(dying.authority))
            dying.signs_in("ada-17", email="ada@seventeen.example", email_verified=True)
            callback = here.way("gitlab")
            dying.stop()
            before = time.monotonic()
            answer = here.open(callback)
            assert time.monotonic() - before < 15
            assert (answer.status_code, session_count.new()) == (503, 0)
            assert "GitLab cannot be reached: try again in a few minutes" in answer.text
        with serving(folder, real_clock, EAS_APP_URL=APP) as address:
            # It does not know the metadata yet.
            here = Browser(address, str(dying.authority))
            assert here.open(f"{APP}/auth/start/gitlab").status_code == 503
            begun = here.post("/auth/startSignIn", {"provider": "gitlab"})
            assert (begun.status_code, begun.json()["code"]) == (503, 14)


def test_no_secret_is_in_logs_rows_addresses_or_pages(
    browser: Browser, provider: RealProvider, people: ControlStore, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    provider.signs_in("ada-18", email="ada@eighteen.example", email_verified=True)
    callback = browser.way(ID)
    state, code = parameter(callback, "state"), parameter(callback, "code")
    during = stored(people)
    answer = browser.open(callback)
    one_time = answer.headers["location"].partition("#")[2]
    between = stored(people)
    made = browser.post("/auth/completeSignIn", {"code": one_time})
    token = made.json()["token"]
    cookie = next(iter(browser.http.cookies.jar)).value or ""
    logs = "\n".join(own_lines(caplog))
    rows = during + between + stored(people)
    nonce = parameter(browser.seen[0], "nonce")
    for secret in (SECRET, token, state, code, one_time, cookie, nonce):
        assert len(secret) > 15
        assert secret not in logs
        assert secret not in rows
    addresses = "\n".join(browser.seen)
    for secret in (SECRET, token, cookie):
        assert secret not in addresses
    assert SECRET not in answer.text + made.text
    # Only after the #, which a browser sends to nobody.
    assert [address for address in browser.seen if one_time in address.partition("#")[0]] == []
    with people.session() as session:
        row = session.scalars(select(SignInSession).where(SignInSession.id == made.json()["sessionId"])).one()
        assert row.signed_in_by == "deployment:openid_connect"
