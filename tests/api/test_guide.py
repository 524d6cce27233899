"""The examples of docs/api-guide.md run against a server, and the answers have the fields on that page."""

import json
import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from string import Template
from typing import Any

import httpx
import pytest

from ingest.settings import CHECKOUT
from tests.api.conftest import ROOT, Deployment, client_for

GUIDE = (CHECKOUT / "docs" / "api-guide.md").read_text()
# An example, and the answer that follows it if the page shows one.
EXAMPLES = re.findall(r"```sh\n(.*?)```\n(?:\n```json\n(.*?)```\n)?", GUIDE, re.DOTALL)
# Shown on purpose: a refused page size, and an answer that did not change.
UNUSUAL = {"pageSize=-1": 400, "If-None-Match": 304}


@pytest.fixture
def client(
    deployment: Deployment, serve: Callable[..., AbstractContextManager[str]]
) -> Iterator[httpx.Client]:
    """A client of a separate organization, with a key that may write."""
    deployment.publish()
    with (
        serve(deployment.data_dir) as address,
        client_for(address, deployment.key("guide", scope="write")) as made,
    ):
        yield made


def answer(client: httpx.Client, command: str) -> httpx.Response:
    """The answer to a curl command of the page."""
    function, *words = shlex.split(command)
    assert function == "eas"
    method, url, data, headers, in_query = "GET", "", [], {}, False
    remaining = iter(words)
    for word in remaining:
        match word:
            case "--get":
                in_query = True
            case "--include":
                pass
            case "--request":
                method = next(remaining)
            case "--header":
                name, _, value = next(remaining).partition(": ")
                headers[name] = value
            case "--json" | "--data-urlencode":
                data.append(next(remaining))
            case _:
                assert not word.startswith("-"), f"{word}: teach the test this option of curl"
                url = word
    if in_query:
        return client.get(url, params=dict(one.split("=", 1) for one in data), headers=headers)
    body = json.loads(data[0]) if data else None
    return client.request(method, url, json=body, headers=headers)


def missing(shown: Any, given: Any, path: str = "") -> list[str]:
    """Fields on the page that the answer lacks. Null stands for any type, the first item for all items of a list."""
    if isinstance(shown, dict):
        if not isinstance(given, dict):
            return [path]
        return [
            gap
            for name, value in shown.items()
            for gap in (
                missing(value, given[name], f"{path}.{name}") if name in given else [f"{path}.{name}"]
            )
        ]
    if isinstance(shown, list):
        if not isinstance(given, list) or (shown and not given):
            return [path]
        return missing(shown[0], given[0], f"{path}[0]") if shown else []
    same = given is None or isinstance(given, type(shown)) or {type(given), type(shown)} == {int, float}
    return [] if same else [path]


def test_every_example_runs_and_shows_fields_of_its_answer(client: httpx.Client) -> None:
    assert len(EXAMPLES) > 8
    listed = client.get(f"{ROOT}/commits?filter=isCounted = true&orderBy=etv desc").json()["commits"]
    merged = client.get(f"{ROOT}/pullRequests?state=MERGED").json()["pullRequests"]
    known = {
        "EAS": ROOT,
        "PULL_REQUEST": merged[0]["id"],
        "COMMIT": listed[0]["sha"],
        "OBJECTIVE": client.get(f"{ROOT}/objectives?orderBy=etv desc").json()["objectives"][0]["id"],
        "ETAG": client.get(f"{ROOT}/repositories?pageSize=1").headers["ETag"].replace('"', '\\"'),
    }
    for command, shown in EXAMPLES:
        found = answer(client, Template(command).substitute(known))
        expected = next((status for part, status in UNUSUAL.items() if part in command), 200)
        assert found.status_code == expected, (command, found.text)
        if shown:
            assert missing(json.loads(shown), found.json()) == [], command


def test_an_example_with_a_field_that_is_gone_is_found() -> None:
    shown = {"commits": [{"sha": "a", "etv": 1.5}], "totalSize": 1}
    assert missing(shown, {"commits": [{"sha": "b", "etv": 2}], "totalSize": 5}) == []
    assert missing(shown, {"commits": [{"sha": 1}]}) == [".commits[0].sha", ".commits[0].etv", ".totalSize"]
