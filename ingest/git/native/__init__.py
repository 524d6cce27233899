"""The compiled twin of the extraction's inner loops, and the choice between it and Python.

The Python modules are the oracle: both give the same facts, and each can continue the other's run. The compiled
modules are optional. `build` writes them into this folder with a stamp; they are loaded only where the stamp fits
their bytes, the sources beside them and this machine, because loading a damaged library can end the process.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import sysconfig
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from ingest.errors import NoEngine

MODULES = ("_changes", "_delivery", "_trees")
"""All of them are loaded, or none: an engine is one thing."""
ENGINE = "EAS_EXTRACTION_ENGINE"
"""`native`, `python`, or `auto`: native where it can be loaded."""
FOLDER = Path(__file__).parent
STAMP = FOLDER / "_build.json"
SOURCES = frozenset({".pyx", ".pxi", ".h"})
"""What the compiled modules are made of: a module, the files that it includes, and one that C includes."""


class Engine(NamedTuple):
    """What reads histories: `native` or `python`, and why it is not native."""

    name: str
    reason: str
    modules: dict[str, ModuleType]


class _Unusable(Exception):
    """The compiled modules cannot be used; the text says why."""


def engine() -> Engine:
    """The engine of this process. Raises NoEngine for an unknown or impossible choice."""
    return _choose(os.environ.get(ENGINE, "").strip() or "auto")


def load(name: str) -> ModuleType | None:
    """The compiled module `name`; None where Python is the engine."""
    return engine().modules.get(name)


def library(name: str) -> Path:
    """The file of a compiled module."""
    return FOLDER / f"{name}.abi3.so"


def machine() -> str:
    """The kind of machine that compiled modules belong to."""
    return sysconfig.get_platform()


def hash_sources() -> str:
    """Hash of all sources that make the compiled modules."""
    content = hashlib.sha256()
    for path in sorted(p for p in FOLDER.rglob("*") if p.suffix in SOURCES):
        content.update(path.relative_to(FOLDER).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return content.hexdigest()


def hash_library(name: str) -> str:
    """Hash of a compiled module. Raises OSError."""
    return hashlib.sha256(library(name).read_bytes()).hexdigest()


def is_built() -> bool:
    """Whether the compiled modules can be loaded."""
    try:
        _load_all()
    except _Unusable:
        return False
    return True


@cache
def _choose(choice: str) -> Engine:
    if choice == "python":
        return Engine("python", f"{ENGINE} is python", {})
    if choice not in ("auto", "native"):
        raise NoEngine(f"{ENGINE} is {choice!r}. Set it to auto, native or python, or leave it out.")
    try:
        return Engine("native", "", _load_all())
    except _Unusable as problem:
        if choice == "native":
            raise NoEngine(
                f"{ENGINE} is native, but {problem}. Run `python -m ingest.git.native.build`, or set it to auto."
            ) from None
        return Engine("python", str(problem), {})


def _load_all() -> dict[str, ModuleType]:
    """Check and load the compiled modules. Raises _Unusable."""
    try:
        stamp = json.loads(STAMP.read_bytes())
        if "reason" in stamp:
            raise _Unusable(f"the compiled modules could not be built: {stamp['reason']}")
        if stamp["machine"] != machine():
            raise _Unusable(f"the compiled modules were built for {stamp['machine']}")
        if stamp["sources"] != hash_sources():
            raise _Unusable("the compiled modules are older than their sources")
        if stamp["libraries"] != {name: hash_library(name) for name in MODULES}:
            raise _Unusable("the compiled modules are damaged")
        return {name: _import(name) for name in MODULES}
    except FileNotFoundError:
        raise _Unusable("the compiled modules are not built") from None
    except (OSError, ValueError, LookupError, TypeError, ImportError) as error:
        raise _Unusable(f"the compiled modules cannot be loaded ({error})") from None


def _import(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"{__name__}.{name}", library(name))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
