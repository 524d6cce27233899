"""The reads of one tool answer from one build, also where another one is published between them."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from typing import Any

import httpx
import pytest

from api.mcp import tool
from api.mcp.reading import Reader
from tests.api.conftest import Deployment
from tests.api.mcp.asking import found_by

Serve = Callable[..., AbstractContextManager[str]]


@pytest.fixture
def address(deployment: Deployment, serve: Serve) -> Iterator[str]:
    deployment.publish()
    with serve(deployment.data_dir) as served:
        yield served


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The builds of the answers that tools read, in their order."""
    found: list[str] = []
    get = httpx.AsyncClient.get

    async def noted(client: httpx.AsyncClient, *asked: Any, **given: Any) -> httpx.Response:
        answer = await get(client, *asked, **given)
        found.append(answer.headers["x-warehouse-build"])
        return answer

    monkeypatch.setattr(httpx.AsyncClient, "get", noted)
    return found


def test_a_tool_keeps_the_build_that_it_began_with(
    address: str, builds: list[str], deployment: Deployment, monkeypatch: pytest.MonkeyPatch
) -> None:
    published: list[str] = []
    call = tool.Tool.call

    async def twice(self: tool.Tool, reader: Reader, arguments: Mapping[str, Any]) -> dict[str, Any]:
        await call(self, reader, arguments)
        if not published:
            published.append(deployment.publish())
        return await call(self, reader, arguments)

    monkeypatch.setattr(tool.Tool, "call", twice)
    key = deployment.key()
    found_by(address, key, "list_commits", pageSize=1)
    assert len(builds) == 2
    assert len(published) == 1
    assert len(set(builds)) == 1
    assert not set(published) & set(builds)
    builds.clear()
    found_by(address, key, "list_commits", pageSize=1)
    assert builds == published * 2
