from pathlib import Path
from typing import Any

import pytest

from api import serve as serving
from api.settings import ApiSettings


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
