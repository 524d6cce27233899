"""`eas mcp` ends with its client, and not by what its client says."""

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.api.conftest import Deployment
from tests.api.mcp.test_stdio import EAS

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"},
    },
}


@pytest.fixture
def assistant(published: Deployment, address: str) -> Iterator[subprocess.Popen[str]]:
    """`eas mcp`, after it answered."""
    process = subprocess.Popen(
        [*EAS, address],
        env=dict(os.environ) | {"EAS_API_KEY": published.key()},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert say(process, HELLO)["result"]["serverInfo"]["name"]
        yield process
    finally:
        process.kill()
        process.wait()


def say(process: subprocess.Popen[str], message: dict[str, Any]) -> dict[str, Any]:
    """The next answer after a message."""
    assert process.stdin
    assert process.stdout
    process.stdin.write(json.dumps(message) + "\n")
    process.stdin.flush()
    answer: dict[str, Any] = json.loads(process.stdout.readline())
    return answer


def close_input(process: subprocess.Popen[str]) -> None:
    assert process.stdin
    process.stdin.close()


def close_output(process: subprocess.Popen[str]) -> None:
    assert process.stdout
    process.stdout.close()


@pytest.mark.parametrize(
    ("end", "code"),
    [
        (close_input, 0),
        (close_output, 0),
        pytest.param(
            lambda process: process.send_signal(signal.SIGTERM), -signal.SIGTERM, marks=pytest.mark.release
        ),
        (lambda process: process.send_signal(signal.SIGINT), -signal.SIGINT),
    ],
    ids=["closed input", "closed output", "SIGTERM", "Ctrl-C"],
)
def test_it_ends_without_a_word(
    assistant: subprocess.Popen[str], end: Callable[[subprocess.Popen[str]], None], code: int
) -> None:
    end(assistant)
    assert assistant.wait(60) == code
    assert assistant.stderr
    assert assistant.stderr.read() == ""


def test_lines_that_are_no_messages_end_nothing(assistant: subprocess.Popen[str]) -> None:
    assert assistant.stdin
    assert assistant.stdout
    assistant.stdin.write('{"jsonrpc": "2.0", "id": 2, "method":\n[]\n\x00\n')
    assistant.stdin.flush()
    answer = say(assistant, {"jsonrpc": "2.0", "id": 3, "method": "ping"})
    while answer.get("id") != 3:
        answer = json.loads(assistant.stdout.readline())
    assert answer["result"] == {}
