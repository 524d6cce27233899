"""The longest files come first, and the fast lane is chosen by seconds."""

from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from tests.suite import order, recorded
from tests.suite.recorded import Recorded
from tests.suite.speed import Speed


@dataclass(frozen=True)
class InventedTest:
    nodeid: str
    marks: tuple[str, ...] = ()

    def get_closest_marker(self, name: str) -> str | None:
        return name if name in self.marks else None


def item(node_id: str, *marks: str) -> pytest.Item:
    return cast(pytest.Item, InventedTest(node_id, marks))


@dataclass
class InventedConfig:
    """A configuration that remembers the deselected tests."""

    deselected: list[pytest.Item] = field(default_factory=list)

    @property
    def hook(self) -> "InventedConfig":
        return self

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        self.deselected.extend(items)

    def arrange(self, *items: pytest.Item) -> list[str]:
        """The names of these tests in the order in which they run."""
        kept = list(items)
        order.pytest_collection_modifyitems(cast(pytest.Config, self), kept)
        return [one.nodeid for one in kept]


@pytest.fixture
def config(monkeypatch: pytest.MonkeyPatch) -> InventedConfig:
    """Beside it, three recorded modules."""
    seconds = {"tests/a.py": 1.0, "tests/b.py": 30.0, "tests/c.py": 5.0}
    monkeypatch.setattr(recorded, "load", lambda: Recorded("2026-01-01", Speed(1.0, 2.0, 2), seconds))
    return InventedConfig()


def test_unknown_files_come_first_then_the_longest_and_tests_of_a_file_keep_their_order(
    config: InventedConfig,
) -> None:
    items = [item(f"tests/{name}") for name in ("a.py::z", "a.py::b", "c.py::x", "new.py::x", "b.py::x")]
    expected = [f"tests/{name}" for name in ("new.py::x", "b.py::x", "c.py::x", "a.py::z", "a.py::b")]
    assert config.arrange(*items) == expected


def test_only_a_release_runs_what_is_marked_so(
    config: InventedConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    short, long = item("tests/a.py::x"), item("tests/a.py::y", "release")
    monkeypatch.setattr(order, "IS_WHOLE", True)
    assert config.arrange(short, long) == [short.nodeid, long.nodeid]
    assert not config.deselected
    monkeypatch.setattr(order, "IS_WHOLE", False)
    assert config.arrange(short, long) == [short.nodeid]
    assert config.deselected == [long]


def test_the_fast_lane_has_the_shortest_modules_that_fit() -> None:
    seconds = {"a": 10.0, "b": 1.0, "c": 4.0, "d": 100.0}
    assert order.slow_modules(seconds, 15) == {"d"}
    assert order.slow_modules(seconds, 14.9) == {"a", "d"}
    assert order.slow_modules(seconds, 0.5) == seconds.keys()


def test_every_recorded_module_exists() -> None:
    gone = [module for module in recorded.load().modules if not (recorded.ROOT / module).is_file()]
    assert not gone, "`make seconds` records the files of today"


def test_a_test_outside_the_project_is_no_slow_one(tmp_path: Path) -> None:
    config = cast(pytest.Config, SimpleNamespace(getoption={"fast": True}.get))
    assert order.pytest_ignore_collect(tmp_path / "test_x.py", config) is None


def test_pytest_looks_into_every_folder_with_tests(pytestconfig: pytest.Config) -> None:
    passed_over = pytestconfig.getini("norecursedirs")
    modules = [path.relative_to(recorded.TESTS) for path in recorded.TESTS.rglob("test_*.py")]
    installed = {"node_modules", ".venv"}
    folders = {
        folder for module in modules if not installed & {*module.parts} for folder in module.parts[:-1]
    }
    assert "build" in folders
    assert not [folder for folder in folders for pattern in passed_over if fnmatch(folder, pattern)]
