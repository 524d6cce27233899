"""The published protos are those of the application, keep their numbers, and please the standard linter."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet

from api.grpc.contract import COMPILED, compiled
from api.grpc.declaration import WITHOUT_METHOD, written
from tests.api.conftest import application
from tests.api.grpc.written import FILE, PROTOS, PUBLISHED, compile_into

BUF = Path(sys.executable).parent / "buf"


@pytest.fixture(scope="module")
def published() -> str:
    return (PROTOS / FILE).read_text(encoding="utf-8")


def test_the_protos_are_those_of_the_application(published: str) -> None:
    assert written(application().openapi(), compiled()) == published, "run `python -m tests.api.grpc.written`"


def test_the_descriptors_are_the_compiled_protos(tmp_path: Path) -> None:
    compile_into(tmp_path / COMPILED, PROTOS, *PUBLISHED)
    assert (tmp_path / COMPILED).read_bytes() == (PROTOS.parent / COMPILED).read_bytes()


def test_every_operation_but_the_named_ones_has_a_method() -> None:
    operations = [
        operation["operationId"]
        for path, verbs in application().openapi()["paths"].items()
        for operation in verbs.values()
        if not path.startswith(WITHOUT_METHOD)
    ]
    assert sorted(one.name.lower() for one in compiled().service[0].method) == sorted(
        map(str.lower, operations)
    )


def document(**properties: str) -> dict[str, Any]:
    schema = {"properties": {name: {"type": kind} for name, kind in properties.items()}}
    answer = {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}}}
    read = {"operationId": "getThing", "summary": "A thing", "responses": answer}
    return {"paths": {"/api/v1/thing": {"get": read}}, "components": {"schemas": {"Thing": schema}}}


def compiled_of(
    folder: Path, content: dict[str, Any], last: FileDescriptorProto | None
) -> FileDescriptorProto:
    (folder / FILE).parent.mkdir(parents=True, exist_ok=True)
    (folder / FILE).write_text(written(content, last), encoding="utf-8")
    compile_into(folder / COMPILED, folder)
    file: FileDescriptorProto = FileDescriptorSet.FromString((folder / COMPILED).read_bytes()).file[-1]
    return file


def numbers(file: FileDescriptorProto) -> dict[str, int]:
    [thing] = [one for one in file.message_type if one.name == "Thing"]
    return {one.name: one.number for one in thing.field}


def test_a_field_keeps_its_number_and_a_removed_one_leaves_it_unused(tmp_path: Path) -> None:
    first = compiled_of(tmp_path, document(a="string", b="string", c="number"), None)
    assert numbers(first) == {"a": 1, "b": 2, "c": 3}
    second = compiled_of(tmp_path, document(c="number", d="string", a="string"), first)
    assert numbers(second) == {"a": 1, "c": 3, "d": 4}
    third = compiled_of(tmp_path, document(b="string", a="string", c="number"), second)
    assert numbers(third) == {"a": 1, "c": 3, "b": 5}


def image(folder: Path, content: str) -> Path:
    """The compiled protos as the linter takes them: with what they import, so that it fetches nothing."""
    (folder / FILE).parent.mkdir(parents=True)
    (folder / FILE).write_text(content, encoding="utf-8")
    compile_into(folder / "image.binpb", folder, "--include_imports", "--include_source_info")
    return folder / "image.binpb"


def run_buf(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [BUF, *arguments, "--config", PROTOS / "buf.yaml", "--path", "eas"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("", "", ""),
        ("message TeamLead {", "message team_lead {}\nmessage TeamLead {", "should be PascalCase"),
    ],
    ids=["as published", "a wrong name"],
)
def test_the_linter_finds_wrong_names_and_none_in_the_published_protos(
    tmp_path: Path, published: str, old: str, new: str, complaint: str
) -> None:
    shown = run_buf("lint", image(tmp_path / "new", published.replace(old, new) if old else published))
    assert (shown.returncode != 0) == bool(complaint)
    assert complaint in shown.stdout


@pytest.mark.parametrize(
    ("old", "new", "breaks"),
    [
        ("message TeamLead {", "message Added {\n  optional string name = 1;\n}\nmessage TeamLead {", False),
        ("optional string team_id = 1;", "optional string team_id = 99;", True),
        ("  rpc ListTeams(", "  rpc ReadTeams(", True),
    ],
    ids=["a new message", "another number", "a renamed method"],
)
def test_a_change_that_breaks_clients_is_found(
    tmp_path: Path, published: str, old: str, new: str, breaks: bool
) -> None:
    assert old in published
    before, after = image(tmp_path / "old", published), image(tmp_path / "new", published.replace(old, new))
    shown = run_buf("breaking", after, "--against", before)
    assert (shown.returncode != 0) == breaks, shown.stdout + shown.stderr
