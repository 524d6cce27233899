"""What gRPC refuses, it refuses as REST does: google.rpc.Status with the same code, message and details."""

from collections.abc import Callable

import grpc
import httpx
import pytest
from google.rpc.code_pb2 import INVALID_ARGUMENT, NOT_FOUND, UNAUTHENTICATED
from google.rpc.error_details_pb2 import BadRequest

from tests.api.grpc.conftest import Client


def test_wrong_fields_are_named(caller: Client, client: httpx.Client) -> None:
    status = caller.refusal("ListDevelopers", organization="acme", page_size=-1, order_by="nothing")
    rest = client.get(
        "/api/v1/organizations/acme/developers", params={"pageSize": -1, "orderBy": "nothing"}
    ).json()
    assert (status.code, status.message) == (INVALID_ARGUMENT, rest["message"])
    [detail] = status.details
    told = BadRequest()
    assert detail.Unpack(told)
    assert [{"field": one.field, "description": one.description} for one in told.field_violations] == rest[
        "details"
    ][0]["fieldViolations"]


@pytest.mark.parametrize("organization", ["none-such", "../acme", "a/b", "a?b=c", "ä", "%2e%2e"])
def test_a_name_from_outside_stays_one_segment_of_the_path(caller: Client, organization: str) -> None:
    assert caller.refusal("GetOrganization", organization=organization).code == NOT_FOUND


def test_a_call_without_a_credential_is_unauthenticated(channel: grpc.Channel) -> None:
    status = Client(channel).refusal("ListDevelopers", organization="acme")
    assert status.code == UNAUTHENTICATED


def test_a_missing_variable_of_the_path_is_named(caller: Client) -> None:
    status = caller.refusal("ListDevelopers")
    assert (status.code, status.message.startswith("organization: is missing")) == (INVALID_ARGUMENT, True)


def test_a_file_is_referred_to_rest(caller: Client) -> None:
    status = caller.refusal("ListCapex", organization="acme", format="CSV")
    assert (status.code, "over REST" in status.message) == (INVALID_ARGUMENT, True)


@pytest.mark.parametrize("content", [b"\xff\xff\xff", b"\x0a\x02\xff\xfe"], ids=["no message", "no UTF-8"])
def test_bytes_that_are_no_message_are_an_invalid_argument(caller: Client, content: bytes) -> None:
    with pytest.raises(grpc.RpcError) as refused:
        caller.send("ListDevelopers", content)
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT


def test_an_unknown_method_is_unimplemented(channel: grpc.Channel) -> None:
    call: Callable[..., bytes] = channel.unary_unary("/eas.v1.EngineeringAnalyticsService/Nothing")
    with pytest.raises(grpc.RpcError) as refused:
        call(b"", timeout=60)
    assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED


def test_a_request_over_the_limit_is_refused_and_the_next_one_answered(caller: Client) -> None:
    with pytest.raises(grpc.RpcError) as refused:
        caller.ask("CreateTeam", organization="acme", body={"name": "x" * 5_000_000})
    assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert caller.ask("GetOrganization", organization="acme").id
