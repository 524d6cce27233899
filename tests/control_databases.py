"""Control databases of tests: copies of one migrated database. A copy costs a tenth of a migration."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol

import pytest

from api.control.database import connect, database_url
from api.control.schema import migrate

# The names by which the product finds the database of a data directory.
PLACES = ("api.control.store.database_url", "api.settings.database_url")


class Url(Protocol):
    """URL of a data directory's database. One that is not there yet is made with all its tables, or is `empty`."""

    def __call__(self, data_dir: Path, *, empty: bool = False) -> str: ...


@contextmanager
def used(url: Url) -> Iterator[Url]:
    """Within it, the product uses these databases."""
    with pytest.MonkeyPatch.context() as patch:
        for place in PLACES:
            patch.setattr(place, url)
        yield url


@contextmanager
def on_sqlite() -> Iterator[Url]:
    """Databases where the product has them: files in their data directories."""
    with tempfile.TemporaryDirectory(prefix="eas-migrated-") as folder:
        migrated = Path(folder) / "control.db"
        engine = connect(f"sqlite:///{migrated}")
        migrate(engine)
        engine.dispose()

        def url(data_dir: Path, *, empty: bool = False) -> str:
            found, file = database_url(data_dir), (data_dir / "control.db").absolute()
            if found == f"sqlite:///{file}" and not empty and not file.exists():
                file.parent.mkdir(parents=True, exist_ok=True)
                _place(migrated, file)
            return found

        yield url


def _place(migrated: Path, file: Path) -> None:
    """A copy at once or not at all: others may open the same one now."""
    number, partial = tempfile.mkstemp(dir=file.parent)
    os.close(number)
    shutil.copyfile(migrated, partial)
    with suppress(FileExistsError):
        os.link(partial, file)
    Path(partial).unlink()
