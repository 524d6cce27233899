"""A control database of SQLite that went missing or is damaged."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from api.control import database, schema
from api.control.errors import DatabaseDamaged, DatabaseLost
from api.control.store import open_store


def fill(url: str) -> None:
    """Migrate a draft of a database, and leave nothing open."""
    open_store(url=url).close()


class TestLostDatabase:
    """A database that went missing is not replaced by an empty one, which would drop all decisions."""

    @pytest.fixture(autouse=True)
    def _in_the_data_directory(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.delenv("CONTROL_DATABASE_URL", raising=False)
        open_store(tmp_path).close()

    def publish(self, data_dir: Path) -> None:
        (data_dir / "published" / "o").mkdir(parents=True)
        (data_dir / "published" / "o" / "current.json").write_text("{}")

    @pytest.mark.parametrize("damage", [Path.unlink, lambda file: file.write_bytes(b"")])
    def test_after_a_publish_it_is_refused(self, tmp_path: Path, damage: Callable[[Path], object]) -> None:
        self.publish(tmp_path)
        open_store(tmp_path).close()
        damage(tmp_path / "control.db")
        with pytest.raises(DatabaseLost, match=r"backup.*eas doctor --fix"):
            open_store(tmp_path)
        assert schema.start_anew(tmp_path, fill) is None or (tmp_path / "control.db").stat().st_size
        open_store(tmp_path).close()

    def test_before_anything_is_published_a_new_one_is_made(self, tmp_path: Path) -> None:
        (tmp_path / "control.db").unlink()
        open_store(tmp_path).close()
        assert (tmp_path / "control.db").stat().st_size

    @pytest.mark.parametrize("kind", ["a folder", "a pipe", "a link to nothing"])
    def test_what_is_no_file_is_reported_and_kept(self, tmp_path: Path, kind: str) -> None:
        self.publish(tmp_path)
        file = tmp_path / "control.db"
        file.unlink(missing_ok=True)
        replacements: dict[str, Callable[[], None]] = {
            "a folder": file.mkdir,
            "a pipe": lambda: os.mkfifo(file),
            "a link to nothing": lambda: file.symlink_to("/nowhere/control.db"),
        }
        replacements[kind]()
        with pytest.raises((DatabaseLost, DatabaseDamaged), match="eas doctor --fix"):
            database.check_file(tmp_path)
        assert schema.start_anew(tmp_path, fill) is not None
        database.check_file(tmp_path)

    def test_an_interrupted_start_leaves_the_loss_as_it_was(self, tmp_path: Path) -> None:
        self.publish(tmp_path)
        (tmp_path / "control.db").unlink(missing_ok=True)

        def interrupted(url: str) -> None:
            fill(url)
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            schema.start_anew(tmp_path, interrupted)
        with pytest.raises(DatabaseLost):
            database.check_file(tmp_path)
        schema.start_anew(tmp_path, fill)
        database.check_file(tmp_path)

    def test_a_damaged_file_is_found_and_kept(self, tmp_path: Path) -> None:
        file = tmp_path / "control.db"
        content = file.read_bytes()
        database.check_file(tmp_path)
        file.write_bytes(content[: len(content) // 2])
        with pytest.raises(DatabaseDamaged, match="eas doctor --fix"):
            database.check_file(tmp_path)
        kept = schema.start_anew(tmp_path, fill)
        assert kept is not None
        assert kept.read_bytes() == content[: len(content) // 2]
        database.check_file(tmp_path)
