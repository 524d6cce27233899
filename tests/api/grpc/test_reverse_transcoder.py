"""A real Envoy that takes gRPC and asks REST by the annotations of the protos gives the answers of our methods."""

import json
from collections.abc import Iterator
from pathlib import Path

import grpc
import httpx
import pytest

from tests.api.grpc.conftest import NAMES, Client, known_of, path_of, reads, variables
from tests.api.grpc.envoy import envoy_running

CONFIG = Path(__file__).with_name("reverse.yaml").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def reverse(address: str, key: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A client with the same key whose calls Envoy makes requests of REST."""
    folder = tmp_path_factory.mktemp("envoy")
    with (
        envoy_running(CONFIG, folder, address.rpartition(":")[2]) as front,
        grpc.insecure_channel(front) as channel,
    ):
        yield Client(channel, key)


@pytest.mark.parametrize("name", reads())
def test_rest_through_envoy_is_the_answer_of_the_method(
    reverse: Client, caller: Client, client: httpx.Client, values: dict[str, str], name: str
) -> None:
    method = NAMES[name][1]
    known = known_of(method, values)
    fields = variables(method, known)
    if client.get(path_of(method, known)).is_success:
        assert reverse.ask(name, **fields) == caller.ask(name, **fields)
        return
    # Envoy makes the status of HTTP a code of its own, and gives the error of REST as the text.
    with pytest.raises(grpc.RpcError) as refused:
        reverse.ask(name, **fields)
    ours = caller.refusal(name, **fields)
    told = json.loads(refused.value.details() or "")
    assert (told["code"], told["message"]) == (ours.code, ours.message)


def test_a_body_and_a_path_reach_rest(reverse: Client, client: httpx.Client) -> None:
    made = reverse.ask("CreateTeam", organization="acme", body={"name": "Through the reverse"})
    shown = client.get(f"/api/v1/organizations/acme/teams/{made.id}").json()
    assert (made.name, shown["name"]) == ("Through the reverse", "Through the reverse")
    reverse.ask("DeleteTeam", organization="acme", team=made.id)
    assert client.get(f"/api/v1/organizations/acme/teams/{made.id}").status_code == 404
