"""A release is verified before it is installed; skopeo, sha256sum and in-toto's own format are the oracles."""

import base64
import hashlib
import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from orchestration.cli import app
from orchestration.releases import contents, image_signature
from orchestration.releases.signing import sign
from tests.orchestration.releases.small_release import make_keys, make_release


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return make_keys(tmp_path_factory.mktemp("keys"))


@pytest.fixture
def release(tmp_path: Path, keys: tuple[Path, Path]) -> Path:
    return make_release(tmp_path / "release", keys[0])


def verified(release: Path, key: Path) -> tuple[int, str]:
    """The exit code and the output of `eas verify-release`."""
    done = CliRunner().invoke(
        app, ["verify-release", str(release), "--key", str(key)], catch_exceptions=False
    )
    return done.exit_code, done.output


def change_json(file: Path, change: Callable[[dict[str, object]], None]) -> None:
    read = json.loads(file.read_bytes())
    change(read)
    file.write_text(json.dumps(read))


def change_payload(file: Path, change: Callable[[dict[str, object]], None]) -> None:
    """Change what a signed statement says, and keep its signature."""
    envelope = json.loads(file.read_bytes())
    statement = json.loads(base64.b64decode(envelope["payload"]))
    change(statement)
    envelope["payload"] = base64.b64encode(json.dumps(statement).encode()).decode()
    file.write_text(json.dumps(envelope))


def flip(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


def layer_of(release: Path) -> Path:
    manifest = contents.read_json(release, contents.MANIFEST)
    return release / contents.IMAGE / str(manifest["layers"][0]["digest"]).removeprefix("sha256:")


def test_a_whole_release_is_verified_and_told(release: Path, keys: tuple[Path, Path]) -> None:
    code, said = verified(release, keys[1])
    assert code == 0, said
    assert contents.image_digest(release) in said
    assert "release 0.6.0 of commit c0ffeec0ffee, from 1 inputs" in said
    assert "may be installed" in said


def test_sha256sum_reads_the_file_of_digests(release: Path) -> None:
    subprocess.run(["sha256sum", "--check", "--strict", "--quiet", contents.DIGESTS], cwd=release, check=True)


TAMPERED: dict[str, Callable[[Path], object]] = {
    "a layer": lambda release: flip(layer_of(release)),
    "a layer is missing": lambda release: layer_of(release).unlink(),
    "the manifest": lambda release: change_json(release / contents.MANIFEST, lambda one: one.update(x=1)),
    "a layer of elsewhere": lambda release: change_json(
        release / contents.MANIFEST, lambda one: one.update(layers=[{"digest": "../../etc/passwd"}])
    ),
    "the signature of the image": lambda release: flip(release / contents.IMAGE_SIGNATURE),
    "no signature of the image": lambda release: (release / contents.IMAGE_SIGNATURE).unlink(),
    "the bill": lambda release: change_json(release / contents.BILL, lambda one: one.update(components=[])),
    "no bill": lambda release: (release / contents.BILL).unlink(),
    "the signed bill": lambda release: change_payload(
        release / contents.BILL_ATTESTATION, lambda one: one.update(predicate={})
    ),
    "the provenance": lambda release: change_payload(
        release / contents.PROVENANCE, lambda one: one.update(subject=[])
    ),
    "no provenance": lambda release: (release / contents.PROVENANCE).unlink(),
    "provenance that is the bill": lambda release: shutil.copy(
        release / contents.BILL_ATTESTATION, release / contents.PROVENANCE
    ),
    "provenance without signature": lambda release: change_json(
        release / contents.PROVENANCE, lambda one: one.update(signatures=[])
    ),
    "provenance of another form": lambda release: (release / contents.PROVENANCE).write_text("[1]"),
    "the policy": lambda release: change_json(release / contents.POLICY, lambda one: one.update(default=[])),
    "the digests": lambda release: flip(release / contents.DIGESTS),
    "no digests": lambda release: (release / contents.DIGESTS).unlink(),
    "a file more": lambda release: (release / "install.sh").write_text("true\n"),
    "a link": lambda release: (release / "link").symlink_to("/etc/passwd"),
}


# An attacker writes the digests of a changed release anew. In these cases the digests are changed or cannot be written.
WITHOUT_NEW_DIGESTS = ("the digests", "no digests", "a link")


@pytest.mark.parametrize("part", TAMPERED)
def test_a_changed_release_is_refused(release: Path, keys: tuple[Path, Path], part: str) -> None:
    TAMPERED[part](release)
    if part not in WITHOUT_NEW_DIGESTS:
        contents.write_digests(release)
    code, said = verified(release, keys[1])
    assert (code, "Do not install this release" in said) == (1, True), said
    assert "Traceback" not in said


def test_parts_of_another_release_of_the_same_key_are_refused(
    release: Path, keys: tuple[Path, Path], tmp_path: Path
) -> None:
    other = make_release(tmp_path / "other", keys[0])
    shutil.rmtree(other)
    other.mkdir()
    shutil.copytree(release, other, dirs_exist_ok=True)
    change_json(other / contents.BILL, lambda one: one.update(serialNumber="urn:uuid:1"))
    sign(other, keys[0], {"buildDefinition": {}})
    for name in (contents.PROVENANCE, contents.BILL_ATTESTATION):
        mixed = shutil.copytree(release, tmp_path / f"mixed {name}")
        shutil.copy(other / name, mixed / name)
        contents.write_digests(mixed)
        assert verified(mixed, keys[1])[0] == 1


def test_another_key_and_no_key_are_refused(release: Path, keys: tuple[Path, Path], tmp_path: Path) -> None:
    _, other = make_keys(tmp_path, "other")
    assert verified(release, other)[0] == 1
    for bad in (tmp_path / "none.pub", release / contents.BILL, keys[0]):
        code, said = verified(release, bad)
        assert (code, str(bad) in said) == (2, True)


def test_openssl_verifies_the_signature_of_the_image(
    release: Path, keys: tuple[Path, Path], tmp_path: Path
) -> None:
    blob = json.loads((release / contents.IMAGE_SIGNATURE).read_bytes().split(b"\n", 1)[1])
    payload = base64.b64decode(blob["payload"])
    (tmp_path / "payload").write_bytes(payload)
    (tmp_path / "signature").write_bytes(base64.b64decode(blob["annotations"][image_signature.SIGNATURE]))
    command = ["openssl", "dgst", "-sha256", "-verify", str(keys[1]), "-signature", "signature", "payload"]
    assert (
        "Verified OK"
        in subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    )
    manifest = hashlib.sha256((release / contents.MANIFEST).read_bytes()).hexdigest()
    assert json.loads(payload)["critical"]["image"] == {"docker-manifest-digest": f"sha256:{manifest}"}


def test_the_signature_speaks_of_no_name_that_somebody_owns() -> None:
    assert image_signature.REPOSITORY_NAME.startswith("localhost/")
