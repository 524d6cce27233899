"""How much an ingest token may send: a burst, then a rate, each token for itself."""

import time
from pathlib import Path

import pytest

from api.errors import ResourceExhausted
from api.http import intake
from api.http.intake import Intake


def test_a_token_that_sends_too_much_waits_and_others_do_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 100.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    found = Intake(tmp_path, rate=2, burst=3)
    for _ in range(3):
        found.count("a")
    with pytest.raises(ResourceExhausted) as refused:
        found.count("a")
    assert refused.value.headers == {"Retry-After": "1"}
    found.count("b")
    now += 0.5
    found.count("a")
    with pytest.raises(ResourceExhausted):
        found.count("a")
    now += 3600
    for _ in range(3):
        found.count("a")
    with pytest.raises(ResourceExhausted):
        found.count("a")


def test_tokens_without_end_are_forgotten_and_take_no_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "MAX_TOKENS", 10)
    found = Intake(tmp_path, rate=1, burst=1)
    for number in range(100):
        found.count(str(number))
    with pytest.raises(ResourceExhausted):
        found.count("99")
