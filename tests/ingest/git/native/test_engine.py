"""A compiled engine is used where it fits, and whatever is wrong with it leaves Python."""

from __future__ import annotations

import fcntl
import json
import shutil
import subprocess
import sys
import sysconfig
from functools import partial
from pathlib import Path

import pytest

from ingest.errors import NoEngine
from ingest.git import native
from ingest.git.changes.native_reading import NativeReader
from ingest.git.native import build
from ingest.settings import CHECKOUT
from tests.suite.tiers import IS_WHOLE

SANITIZED_SECONDS = 60 if IS_WHOLE else 4


@pytest.fixture
def folder(reader: NativeReader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the package's folder that the loader takes for the real one."""
    copy = shutil.copytree(native.FOLDER, tmp_path / "native")
    monkeypatch.setattr(native, "FOLDER", copy)
    monkeypatch.setattr(native, "STAMP", copy / native.STAMP.name)
    return copy


@pytest.fixture
def folder_of_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for an engine of its smallest module, because a build of all takes nine seconds."""
    monkeypatch.setattr(native, "MODULES", ("_trees",))
    return folder


def reason() -> str:
    native._choose.cache_clear()
    try:
        found = native.engine()
    finally:
        native._choose.cache_clear()
    assert found.name == "python"
    assert not found.modules
    return found.reason


def change_stamp(folder: Path, **changes: object) -> None:
    stamp = folder / native.STAMP.name
    stamp.write_text(json.dumps(json.loads(stamp.read_text()) | changes))


def test_a_damaged_library_is_not_loaded(folder: Path) -> None:
    library = folder / native.library("_changes").name
    content = bytearray(library.read_bytes())
    content[len(content) // 2] ^= 1
    library.write_bytes(content)
    assert "damaged" in reason()
    library.write_bytes(b"")
    assert "damaged" in reason()
    library.unlink()
    assert "not built" in reason()


@pytest.mark.parametrize("source", ["_changes.pyx", "lines/tokens.pxi"])
def test_changed_sources_make_a_library_old(folder: Path, source: str) -> None:
    (folder / source).write_text("# other\n")
    assert "older than their sources" in reason()


def test_a_library_of_another_machine_is_not_loaded(folder: Path) -> None:
    change_stamp(folder, machine="macosx-14-arm64")
    assert "macosx-14-arm64" in reason()


def test_a_library_that_does_not_load_leaves_python(folder: Path) -> None:
    library = folder / native.library("_changes").name
    library.write_bytes(b"no library")
    change_stamp(folder, libraries={name: native.hash_library(name) for name in native.MODULES})
    assert "cannot be loaded" in reason()


@pytest.mark.parametrize("stamp", ["", "{", "[]", "{}", '{"machine": 1}', "null"])
def test_an_unreadable_stamp_leaves_python(folder: Path, stamp: str) -> None:
    (folder / native.STAMP.name).write_text(stamp)
    assert reason()


def test_a_machine_without_a_compiler_goes_on_in_python_and_says_why(
    folder_of_one: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder_of_one / native.STAMP.name).unlink()
    monkeypatch.setattr(build, "_compilers", list)
    assert "because no C compiler is installed" in build.refresh()
    assert "no C compiler is installed" in reason()


def test_an_outdated_library_is_built_again_and_a_fitting_one_is_kept(folder_of_one: Path) -> None:
    change_stamp(folder_of_one, sources="other")
    assert build.refresh().startswith("Compiled")
    assert build.refresh() == ""


def test_a_failing_compiler_is_named(folder_of_one: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder_of_one / native.STAMP.name).unlink()
    monkeypatch.setattr(
        build, "_compilers", lambda: [[sys.executable, "-c", "raise SystemExit('error: broken')"]]
    )
    assert "broken" in build.refresh()


def test_the_engine_can_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(native.ENGINE, "python")
    assert native.engine()[:2] == ("python", f"{native.ENGINE} is python")
    monkeypatch.setenv(native.ENGINE, "fast")
    with pytest.raises(NoEngine, match="auto, native or python"):
        native.engine()


def test_a_required_engine_that_is_missing_is_an_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(native.ENGINE, "native")
    (folder / native.STAMP.name).unlink()
    native._choose.cache_clear()
    try:
        with pytest.raises(NoEngine, match=r"python -m ingest\.git\.native\.build"):
            native.engine()
    finally:
        native._choose.cache_clear()


def newer_headers() -> list[Path]:
    """The folders of headers of supported versions after this Python's own, one a version."""
    beside = Path(sys.base_prefix).parent.glob("*/include/python3.*")
    found = {path.name: path for path in [*beside, *Path("/usr/include").glob("python3.*")]}
    wanted = [f"python3.{minor}" for minor in range(sys.version_info.minor + 1, 14)]
    return [found[name] for name in wanted if name in found and (found[name] / "Python.h").is_file()]


def test_a_library_built_by_a_newer_python_keeps_the_references_of_constants(
    reader: NativeReader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not newer_headers():
        pytest.skip("no headers of a newer Python are installed")
    source = tmp_path / "same.pyx"
    source.write_text("def same(one):\n    return one == 1\n")
    build._run([sys.executable, "-m", "cython", "-3", str(source)])
    for folder in newer_headers():
        monkeypatch.setattr(sysconfig, "get_paths", partial(dict, include=str(folder)))
        library = build._compile(build._compilers()[0], source.with_suffix(".c"), sanitize=False)
        done = subprocess.run([sys.executable, "-c", COUNTS, str(library)], capture_output=True, text=True)
        assert (done.returncode, done.stdout) == (0, "True\n"), (folder, done.stderr)


COUNTS = """
import sys
from importlib.util import module_from_spec, spec_from_file_location
spec = spec_from_file_location("same", sys.argv[1])
module = module_from_spec(spec)
spec.loader.exec_module(module)
before = sys.getrefcount(True)
answers = [module.same(1) for _ in range(100)]
print(sys.getrefcount(True) - before in (0, 100))  # nobody counts them from Python 3.12 on
"""


@pytest.fixture(scope="module")
def sanitized(reader: NativeReader) -> Path:
    """The modules built with AddressSanitizer and UBSan, which takes 15 seconds, once for each state of the sources."""
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("gcc is not installed")
    if not all(Path(path).is_absolute() for path in runtimes(compiler)):
        pytest.skip("gcc has no sanitizers")
    folder = CHECKOUT / ".pytest_cache" / "sanitized" / native.hash_sources()[:16]
    folder.mkdir(parents=True, exist_ok=True)
    mark = folder / "built"
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not mark.exists():
            command = [sys.executable, "-m", "ingest.git.native.build", "--sanitize", str(folder)]
            subprocess.run(command, check=True, env=clean_environment(compiler), timeout=300)
            mark.touch()
    return folder


def clean_environment(compiler: str) -> dict[str, str]:
    return {"CC": compiler, "PATH": "/usr/bin:/bin", "PYTHONPATH": str(CHECKOUT)}


def runtimes(compiler: str) -> list[str]:
    names = ("libasan.so", "libubsan.so")
    commands = [[compiler, f"-print-file-name={name}"] for name in names]
    return [
        subprocess.run(one, capture_output=True, text=True, check=True).stdout.strip() for one in commands
    ]


# Compiles the loops twice: for changes of the compiled code, and before a release.
@pytest.mark.release
def test_the_compiled_engine_has_no_finding_of_the_sanitizers(sanitized: Path) -> None:
    """Random changes, damaged patches and damaged recounts are read; a finding ends the process."""
    compiler = str(shutil.which("gcc"))
    fuzz = ["tests.ingest.git.native.fuzz", "--seconds", str(SANITIZED_SECONDS), "--library", str(sanitized)]
    found = subprocess.run(
        [sys.executable, "-m", *fuzz],
        env=clean_environment(compiler)
        | {
            "LD_PRELOAD": " ".join(runtimes(compiler)),
            "ASAN_OPTIONS": "detect_leaks=0",  # Python frees little when it ends
            "PYTHONMALLOC": "malloc",
        },
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert found.returncode == 0, found.stderr[-3000:]
    assert "no difference and no crash" in found.stdout
