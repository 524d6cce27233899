"""Writes the protos of gRPC from the application and compiles them: `python -m tests.api.grpc.written`."""

import shutil
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory

from google.api import annotations_pb2
from grpc_tools import protoc

from api.app import create_app
from api.grpc.contract import COMPILED, compiled
from api.grpc.declaration import written
from api.settings import ApiSettings

PROTOS = Path(__file__).resolve().parents[3] / "api/grpc/protos"
FILE = Path("eas/v1/service.proto")
# A proxy in front needs no other file: neither for what the protos import nor for the details of errors.
PUBLISHED = ("--include_imports", "google/rpc/error_details.proto")


def compile_into(target: Path, protos: Path, *options: str) -> None:
    """Compile the file below `protos`. Raises RuntimeError when the compiler refuses it; it has said why."""
    google = [str(files("grpc_tools").joinpath("_proto")), str(Path(annotations_pb2.__file__).parents[2])]
    paths = [f"--proto_path={path}" for path in (protos, *google)]
    if protoc.main(["protoc", *paths, *options, f"--descriptor_set_out={target}", str(protos / FILE)]):
        raise RuntimeError(f"{FILE} does not compile")


def main() -> None:
    """Write both files anew. A text that does not compile replaces neither."""
    last = compiled() if (PROTOS.parent / COMPILED).exists() else None
    with TemporaryDirectory() as folder:
        draft = Path(folder) / FILE
        draft.parent.mkdir(parents=True)
        draft.write_text(written(create_app(ApiSettings()).openapi(), last), encoding="utf-8")
        compile_into(Path(folder) / COMPILED, Path(folder), *PUBLISHED)
        (PROTOS / FILE).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(draft, PROTOS / FILE)
        shutil.copyfile(Path(folder) / COMPILED, PROTOS.parent / COMPILED)


if __name__ == "__main__":
    main()
