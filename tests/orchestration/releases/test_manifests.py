"""The files that run the image in a cluster and on one machine."""

from typing import Any
from urllib.parse import urlsplit

import kubernetes_validate
import yaml

from ingest.settings import CHECKOUT

CLUSTER = list(yaml.safe_load_all((CHECKOUT / "docs/operations/kubernetes.yaml").read_text()))
WORKERS = list(yaml.safe_load_all((CHECKOUT / "docs/operations/kubernetes-workers.yaml").read_text()))
[COMPOSED] = yaml.safe_load((CHECKOUT / "compose.yaml").read_text())["services"].values()
WITH_DATABASES = yaml.safe_load((CHECKOUT / "compose.postgresql.yaml").read_text())["services"]
DOCKERFILE = (CHECKOUT / "Dockerfile").read_text()
USER = "10001"


def test_the_manifests_keep_the_schemas_of_kubernetes() -> None:
    for document in (*CLUSTER, *WORKERS):
        kubernetes_validate.validate(document, "1.37", strict=True)


def pod() -> dict[str, Any]:
    [deployment] = [one for one in CLUSTER if one["kind"] == "Deployment"]
    found: dict[str, Any] = deployment["spec"]["template"]["spec"]
    return found


def test_the_program_has_no_rights_and_writes_to_its_volume_alone() -> None:
    [container] = pod()["containers"]
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    }
    assert str(pod()["securityContext"]["runAsUser"]) == USER
    assert COMPOSED["read_only"] is True
    assert COMPOSED["user"] == f"{USER}:{USER}"
    assert (COMPOSED["cap_drop"], COMPOSED["security_opt"]) == (["ALL"], ["no-new-privileges:true"])
    assert f"\nUSER {USER}:{USER}\n" in DOCKERFILE
    assert {one["mountPath"] for one in container["volumeMounts"]} == {"/data", "/tmp"}


def test_every_file_starts_the_same_command_and_names_the_image_by_its_digest() -> None:
    [container] = pod()["containers"]
    command = ["eas", "serve", "--all-addresses"]
    assert container["args"] == COMPOSED["command"] == command
    assert f"CMD {str(command).replace(chr(39), chr(34))}" in DOCKERFILE
    assert "@sha256:" in container["image"]
    assert "digest" in COMPOSED["image"]


def test_one_pod_writes_the_warehouse() -> None:
    [deployment] = [one for one in CLUSTER if one["kind"] == "Deployment"]
    assert deployment["spec"]["replicas"] == 1
    assert deployment["spec"]["strategy"] == {"type": "Recreate"}


def test_workers_run_as_the_service_does_on_its_volume() -> None:
    [worker] = [
        one for one in WORKERS if one["metadata"]["name"] == "eas-worker" and one["kind"] == "Deployment"
    ]
    found = worker["spec"]["template"]["spec"]
    [container], [service] = found["containers"], pod()["containers"]
    assert container["args"] == ["eas", "worker"]
    assert found["securityContext"] == pod()["securityContext"]
    assert found["volumes"] == pod()["volumes"]
    same = ("image", "securityContext", "volumeMounts")
    assert [container[name] for name in same] == [service[name] for name in same]
    slots = {one["name"]: one.get("value") for one in container["env"]}["EAS_RUN_SLOTS"]
    assert slots == str(worker["spec"]["replicas"])


def test_every_pod_of_the_workers_has_no_rights() -> None:
    pods = [one["spec"]["template"]["spec"] for one in WORKERS if one["kind"] == "Deployment"]
    for found in pods:
        assert found["securityContext"]["runAsNonRoot"] is True
        for container in found["containers"]:
            assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
            assert "@sha256:" in container["image"]


def test_no_argument_of_a_program_has_a_secret() -> None:
    """Every user of a machine can read arguments."""
    pods = [one["spec"]["template"]["spec"] for one in (*CLUSTER, *WORKERS) if one["kind"] == "Deployment"]
    arguments = [text for one in pods for container in one["containers"] for text in container["args"]]
    assert not [text for text in arguments if "$(" in text]


def test_the_databases_of_the_service_and_of_dagster_are_two() -> None:
    """Both note the revision of their schema in a table of one name."""
    told = WITH_DATABASES["eas"]["environment"]
    addresses = [urlsplit(told[name]) for name in ("CONTROL_DATABASE_URL", "EAS_DAGSTER_DATABASE_URL")]
    assert {one.hostname for one in addresses} == {"postgresql"}
    assert len({one.path for one in addresses}) == 2


def test_files_of_one_machine_name_settings_that_exist() -> None:
    documented = (CHECKOUT / "docs/operations/settings.md").read_text()
    named = {*COMPOSED["environment"], *WITH_DATABASES["eas"]["environment"]}
    assert [one for one in named if not one.startswith("AWS_") and f"`{one}`" not in documented] == []


def test_the_data_of_postgresql_are_in_the_named_volume_whatever_its_version() -> None:
    """Images before 18 declare a volume of their own, which a new container loses."""
    service = WITH_DATABASES["postgresql"]
    [volume] = service["volumes"]
    assert service["environment"]["PGDATA"].startswith(volume.rpartition(":")[2] + "/")
    assert "/var/lib/postgresql" not in volume
