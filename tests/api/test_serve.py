import gc
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from api import serve as serving
from api.settings import ApiSettings


@pytest.fixture(autouse=True)
def _process() -> Iterator[None]:
    """What serving sets for its process is the test's alone."""
    interval = sys.getswitchinterval()
    yield
    gc.unfreeze()
    sys.setswitchinterval(interval)


@pytest.mark.parametrize(("trusted", "expected"), [("", (False, "")), ("10.0.0.1", (True, "10.0.0.1"))])
def test_nobody_but_a_named_proxy_may_say_for_whom_it_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trusted: str, expected: tuple[bool, str]
) -> None:
    monkeypatch.setenv("EAS_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("EAS_TRUSTED_PROXIES", trusted)
    given: dict[str, Any] = {}
    monkeypatch.setattr(serving.uvicorn, "run", lambda _, **options: given.update(options))
    serving.serve(ApiSettings())
    assert (given["proxy_headers"], given["forwarded_allow_ips"]) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, "http://127.0.0.1:8000"),
        ({"EAS_API_PORT": "8123"}, "http://127.0.0.1:8123"),
        ({"EAS_API_PORT": "8123", "EAS_APP_URL": "https://eas.example"}, "https://eas.example"),
    ],
)
def test_mailed_links_lead_to_the_port_that_is_served_unless_told_otherwise(
    monkeypatch: pytest.MonkeyPatch, given: dict[str, str], expected: str
) -> None:
    for name in ("EAS_API_PORT", "EAS_APP_URL"):
        monkeypatch.delenv(name, raising=False)
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    assert ApiSettings().app_url == expected


def test_a_bad_port_is_all_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EAS_API_PORT", "many")
    monkeypatch.delenv("EAS_APP_URL", raising=False)
    with pytest.raises(ValidationError, match="EAS_API_PORT"):
        ApiSettings()


def test_serving_leaves_the_process_of_the_tests_as_it_was() -> None:
    """Runs after the tests above."""
    assert gc.get_freeze_count() == 0
    assert sys.getswitchinterval() != serving.SWITCH_SECONDS
