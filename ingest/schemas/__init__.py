"""Arrow schemas of the raw tables.

A *noun* is a kind of source: `git` (a repository) or `control` (the control database). Each has a module here.
`TABLES` maps (noun, table) to its schema; `ingest.lake` writes nothing that is not registered here.
"""

from ingest.schemas import control, git

TABLES = {("git", name): schema for name, schema in git.TABLES.items()} | {
    ("control", name): schema for name, schema in control.TABLES.items()
}
