"""Builder of the compiled modules: `python -m ingest.git.native.build [--sanitize FOLDER]`.

Needs Cython and a C compiler: the system's, else the one of the package `ziglang`. Nothing is downloaded. Without
them the extraction goes on in Python, which this command states in one line; it fails only with `--sanitize`.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

from ingest.git import native
from ingest.git.native import constants

_FLAGS = ("-O3", "-fPIC", "-DPy_LIMITED_API=0x030B0000", "-DXXH_INLINE_ALL", "-fvisibility=hidden")
_SANITIZE = (
    "-g",
    "-O1",
    "-fsanitize=address,undefined",
    "-fno-sanitize-recover=undefined",
    "-fno-omit-frame-pointer",
)
_SECONDS = 300


class CannotBuild(Exception):
    """The compiled modules cannot be built here; the text says why."""


def build(folder: Path, *, sanitize: bool = False) -> str:
    """Compile all modules into `folder` and return the compiler's name. Raises CannotBuild."""
    if importlib.util.find_spec("Cython") is None:
        raise CannotBuild("Cython is not installed")
    tried: list[str] = []
    with tempfile.TemporaryDirectory() as scratch:
        sources = [_translate(name, Path(scratch)) for name in native.MODULES]
        for compiler in _compilers():
            try:
                made = [_compile(compiler, source, sanitize=sanitize) for source in sources]
            except CannotBuild as error:
                tried.append(str(error))
                continue
            for path in made:
                _put(path, folder / path.name)
            return "ziglang" if compiler[0] == sys.executable else Path(compiler[0]).name
    raise CannotBuild(tried[0] if tried else "no C compiler is installed")


def _translate(name: str, scratch: Path) -> Path:
    target = scratch / f"{name}.c"
    _run([sys.executable, "-m", "cython", "-3", str(native.FOLDER / f"{name}.pyx"), "-o", str(target)])
    return target


def _compilers() -> list[list[str]]:
    chosen = os.environ.get("CC")
    found = [shlex.split(chosen)] if chosen else []
    found += [[path] for path in map(shutil.which, ("cc", "gcc", "clang")) if path]
    if importlib.util.find_spec("ziglang") is not None:
        found.append([sys.executable, "-m", "ziglang", "cc"])
    return found


def _compile(compiler: list[str], source: Path, *, sanitize: bool) -> Path:
    target = source.with_suffix(".abi3.so")
    shared = ("-bundle", "-undefined", "dynamic_lookup") if sys.platform == "darwin" else ("-shared",)
    includes = [f"-I{sysconfig.get_paths()['include']}", f"-I{_xxhash_folder()}"]
    flags = (*_FLAGS, "-include", str(native.FOLDER / "stable_abi.h"), *(_SANITIZE if sanitize else ()))
    _run([*compiler, *flags, *shared, *includes, str(source), "-o", str(target)])
    return target


def _xxhash_folder() -> Path:
    """The folder of xxhash.h, which Arrow's package has."""
    import pyarrow as pa  # noqa: PLC0415 - only a build needs it

    folder = Path(pa.get_include()) / "arrow" / "vendored" / "xxhash"
    if not (folder / "xxhash.h").is_file():
        raise CannotBuild("pyarrow has no xxhash.h")
    return folder


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise CannotBuild(f"{Path(command[0]).name}: {error}") from None
    if done.returncode:
        lines = [
            line for line in done.stderr.splitlines() if "error" in line.lower()
        ] or done.stderr.splitlines()
        raise CannotBuild(f"{Path(command[0]).name}: {lines[0] if lines else 'it failed without a message'}")


def _put(source: Path, target: Path) -> None:
    """Replace a file in one step: another process may have the old one loaded."""
    temporary = target.with_name(f".{target.name}.{os.getpid()}")
    shutil.copyfile(source, temporary)
    temporary.replace(target)


def _stamp(content: dict[str, object]) -> None:
    temporary = native.STAMP.with_name(f".{native.STAMP.name}.{os.getpid()}")
    temporary.write_text(json.dumps(content))
    temporary.replace(native.STAMP)


def refresh() -> str:
    """Build what is missing or outdated, and return one line about it; none where nothing changed. Raises OSError."""
    constants.refresh()
    if native.is_built():
        return ""
    sources = native.hash_sources()
    try:
        compiler = build(native.FOLDER)
    except CannotBuild as problem:
        _stamp({"reason": str(problem), "sources": sources})
        return f"The extraction runs in Python, which is slower, because {problem}"
    libraries = {name: native.hash_library(name) for name in native.MODULES}
    _stamp({"machine": native.machine(), "sources": sources, "libraries": libraries, "compiler": compiler})
    return f"Compiled the extraction's inner loops with {compiler}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sanitize", type=Path, metavar="FOLDER", help="build with sanitizers into FOLDER")
    folder: Path | None = parser.parse_args().sanitize
    if folder is None:
        try:
            said = refresh()
        except OSError as error:
            said = f"The extraction runs in Python, because its compiled modules cannot be written ({error})"
        if said:
            print(said)  # noqa: T201 - a command
        return
    folder.mkdir(parents=True, exist_ok=True)
    try:
        print(build(folder, sanitize=True))  # noqa: T201
    except CannotBuild as problem:
        raise SystemExit(str(problem)) from None


if __name__ == "__main__":
    main()
