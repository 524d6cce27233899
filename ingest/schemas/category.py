"""A category of connections as data: the raw tables that its connections fill, and the names that people and jobs use.

The API iterates over `ingest.schemas.CATEGORIES`; jobs, assets, checks and builds over those that are read (`SYNCED`).
Add: what tells categories apart. Keep out: the categories (`hosts`, `trackers`, `model_endpoints`), one provider
(`ingest.providers`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pyarrow as pa

from ingest.schemas.fields import integer, text

CONNECTION = [
    text("organization_id", "UUID of the organization."),
    text("connection_id", "UUIDv7 of the connection."),
    integer("batch", "Number of the batch that wrote the row. The highest one of an entity holds today."),
]
"""The first columns of every table of versions."""
VERSION = text("connector_version", "Version of the connector that wrote the row.")
"""The last column of every table."""

DELETIONS = pa.schema(  # one row per entity that a sweep no longer found; rewritten by sweeps
    [
        *CONNECTION[:2],
        text("table_name", "Raw table of the entity."),
        text("provider_id", "Id of the entity at the provider."),
        VERSION,
    ]
)


@dataclass(frozen=True)
class Versions:
    """A raw table with one row per version of an entity. It only gains rows. `description` says it for the UI."""

    schema: pa.Schema
    description: str


@dataclass(frozen=True, eq=False)
class Category:
    """A category of connections. The last of `versions` is the table by which a connection is judged.

    A category without tables is asked when something is needed, and never read.
    """

    noun: str
    """Folder, schema and group of the raw tables: hosts."""
    name: str
    """In the API: GIT_HOST."""
    title: str
    """As people write it: Git host."""
    reads: str
    """The name of its rows, for people."""
    job: str = ""
    """The job that reads one connection; empty where nothing is read."""
    versions: Mapping[str, Versions] = field(default_factory=dict)
    lists_repositories: bool = False
    """True if people add repositories from what a connection reads (a table `repositories`)."""
    has_levels: bool = False
    """True if kinds of items have levels, and teams own items (a table `items`)."""

    @property
    def is_synced(self) -> bool:
        """Whether runs read its connections into raw tables."""
        return bool(self.versions)

    @property
    def main_table(self) -> str:
        """The table by which freshness and completeness of a connection are judged."""
        return [*self.versions][-1]

    @property
    def tables(self) -> dict[str, pa.Schema]:
        """The schemas of all raw tables, with that of deletions, which every category has."""
        return {name: one.schema for name, one in self.versions.items()} | {"deletions": DELETIONS}

    @property
    def descriptions(self) -> dict[str, str]:
        """The description of each of `tables`."""
        deletions = "One row per entity that no longer exists. Rewritten by every sweep."
        return {name: one.description for name, one in self.versions.items()} | {"deletions": deletions}

    @property
    def with_article(self) -> str:
        """The title in a sentence: a Git host."""
        return f"{'an' if self.title[0] in 'AEIOUaeiou' else 'a'} {self.title}"
