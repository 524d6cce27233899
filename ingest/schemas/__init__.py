"""Arrow schemas of the raw tables.

A *noun* is a kind of source: `git` (a repository), `hosts` (a connection to a Git host), `trackers` (a connection to an
issue tracker) or `control` (the control database). Each has a module here. `TABLES` maps (noun, table) to its schema;
`ingest.lake` writes nothing that is not registered here.
"""

from ingest.schemas import control, git, hosts, trackers

NOUNS = {"git": git.TABLES, "control": control.TABLES, "hosts": hosts.TABLES, "trackers": trackers.TABLES}
TABLES = {(noun, name): schema for noun, tables in NOUNS.items() for name, schema in tables.items()}
SOURCE_COLUMNS = {"git": "repository_id", "control": "repository_id"}
"""The column that names the source of a noun, and the key of its folders; `connection_id` for all other nouns."""


def source_column(noun: str) -> str:
    """The column that names the source of a noun."""
    return SOURCE_COLUMNS.get(noun, "connection_id")
