"""The server of a deployment: it is off without its port, says its health, and describes its methods."""

import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
import uvicorn
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from api.app import create_app
from api.serve import serve
from api.settings import ApiSettings
from tests.api.conftest import PromptServer
from tests.api.grpc.conftest import Client

SERVICE = "eas.v1.EngineeringAnalyticsService"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.fixture(scope="module")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address at which a deployment speaks gRPC because its setting says so; it ends with the deployment."""
    port = free_port()
    settings = ApiSettings(EAS_DATA_DIR=tmp_path_factory.mktemp("served"), EAS_GRPC_PORT=port)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        server = PromptServer(uvicorn.Config(create_app(settings), log_level="warning", access_log=False))
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        yield f"127.0.0.1:{port}"
        server.stop()
        thread.join()
    with socket.create_server(("127.0.0.1", port)):
        pass


@pytest.fixture(scope="module")
def channel(spoken: str) -> Iterator[grpc.Channel]:
    with grpc.insecure_channel(spoken) as made:
        yield made


@pytest.mark.parametrize("name", ["", SERVICE])
def test_it_says_that_it_serves(channel: grpc.Channel, name: str) -> None:
    stub: Any = health_pb2_grpc.HealthStub(channel)
    answer = stub.Check(health_pb2.HealthCheckRequest(service=name), timeout=30)
    assert answer.status == health_pb2.HealthCheckResponse.SERVING


def test_a_client_without_protos_calls_a_method_by_reflection(channel: grpc.Channel) -> None:
    database = ProtoReflectionDescriptorDatabase(channel)
    assert SERVICE in database.get_services()
    method = DescriptorPool(database).FindServiceByName(SERVICE).FindMethodByName("GetLicense")
    request, answer = GetMessageClass(method.input_type), GetMessageClass(method.output_type)
    call = channel.unary_unary(
        f"/{SERVICE}/GetLicense",
        request_serializer=request.SerializeToString,
        response_deserializer=answer.FromString,
    )
    with pytest.raises(grpc.RpcError) as refused:
        call(request(), timeout=30)
    assert refused.value.code() is grpc.StatusCode.UNAUTHENTICATED


def test_a_wrong_credential_is_refused(channel: grpc.Channel) -> None:
    assert Client(channel, "eas_wrong").refusal("ListOrganizations").code == 16


def test_a_used_port_is_told_with_its_setting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        monkeypatch.setenv("EAS_DATA_DIR", str(tmp_path))
        monkeypatch.setenv("EAS_API_PORT", str(free_port()))
        monkeypatch.setenv("EAS_GRPC_PORT", str(taken.getsockname()[1]))
        with pytest.raises(SystemExit, match="set EAS_API_HOST and EAS_GRPC_PORT to an address"):
            serve()
