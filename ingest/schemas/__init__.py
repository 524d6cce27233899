"""Arrow schemas of the raw tables.

A *noun* is a kind of source: `git` (a repository), `control` (the control database), `telemetry` (the AI tools of an
organization), or that of a category of connections, such as `hosts`. Each has a module here. `TABLES` maps
(noun, table) to its schema; `ingest.lake` writes nothing that is not registered here. A new category is a module with a
`Category`, which is found here.
"""

from importlib import import_module
from pkgutil import iter_modules

from ingest.schemas import control, git, telemetry
from ingest.schemas.category import Category


def _categories() -> tuple[Category, ...]:
    """The categories that the modules of this package declare, by noun."""
    modules = [import_module(f"{__name__}.{one.name}") for one in iter_modules(__path__)]
    found = {
        one.noun: one for module in modules for one in vars(module).values() if isinstance(one, Category)
    }
    return tuple(found[noun] for noun in sorted(found))


CATEGORIES = _categories()
CATEGORY_OF = {one.noun: one for one in CATEGORIES}
"""Categories by their noun, which the control database stores."""
SYNCED = {noun: one for noun, one in CATEGORY_OF.items() if one.is_synced}
"""Those that have raw tables, by the noun of the tables."""
NOUNS = {
    "git": git.TABLES,
    "control": control.TABLES,
    "telemetry": telemetry.TABLES,
    **{noun: one.tables for noun, one in SYNCED.items()},
}
TABLES = {(noun, name): schema for noun, tables in NOUNS.items() for name, schema in tables.items()}


def source_column(noun: str) -> str:
    """The column that names the source of a noun, and the key of its folders."""
    return "connection_id" if noun in SYNCED else "repository_id"
