"""`/readyz` tells whether published builds can be read."""

from collections.abc import Callable
from contextlib import AbstractContextManager

import pytest

from tests.api.conftest import ROOT, Deployment, client_for
from tests.api.published_facts import ORGANIZATION

Serve = Callable[..., AbstractContextManager[str]]


def test_a_deployment_without_a_build_is_ready(deployment: Deployment, serve: Serve) -> None:
    with serve(deployment.data_dir) as address, client_for(address, None) as client:
        assert client.get("/readyz").status_code == 200


@pytest.mark.parametrize(
    "damage", ["empty pointer", "list as pointer", "no pointer", "no snapshot", "truncated snapshot"]
)
def test_a_published_build_that_cannot_be_read_is_not_ready(
    deployment: Deployment, serve: Serve, damage: str
) -> None:
    build_id = deployment.publish()
    folder = deployment.data_dir / "published" / ORGANIZATION
    pointer, snapshot = folder / "current.json", folder / f"{build_id}.duckdb"
    with serve(deployment.data_dir) as address, client_for(address, None) as client:
        assert client.get("/readyz").status_code == 200
        if damage == "empty pointer":
            pointer.write_bytes(b"")
        elif damage == "list as pointer":
            pointer.write_text("[1]")
        elif damage == "no pointer":
            pointer.unlink()
        elif damage == "no snapshot":
            snapshot.unlink()
        else:
            snapshot.chmod(0o644)
            snapshot.write_bytes(snapshot.read_bytes()[:-4096])
        answer = client.get("/readyz")
        assert (answer.status_code, "eas doctor" in answer.text) == (503, True)
        deployment.publish()
        assert client.get("/readyz").status_code == 200


def test_a_build_that_is_open_serves_on(deployment: Deployment, serve: Serve) -> None:
    deployment.publish()
    with serve(deployment.data_dir) as address, client_for(address, deployment.key()) as client:
        assert client.get(f"{ROOT}/commits").status_code == 200
        (deployment.data_dir / "published" / ORGANIZATION / "current.json").write_bytes(b"")
        assert client.get(f"{ROOT}/commits").status_code == 200
        assert client.get("/readyz").status_code == 200
