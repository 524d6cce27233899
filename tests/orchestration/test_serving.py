import io
import socket

from rich.console import Console

from orchestration.deployment import Deployment
from orchestration.serving import is_port_in_use, serve_until_interrupted


def test_a_port_in_use_is_reported_before_any_server_starts(deployment: Deployment) -> None:
    out = io.StringIO()
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert is_port_in_use(port)
        assert serve_until_interrupted(deployment, Console(file=out), api_port=port, ui_port=1) == 1
    assert f"Port {port} of the API is in use" in out.getvalue()
    assert not is_port_in_use(port)
