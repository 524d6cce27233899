"""The raw lake: only this package writes raw Parquet.

Layout: `<root>/<noun>/<table>/organization_id=<o>/<source column>=<s>/<batch>.parquet`. The file
`<root>/_state/<noun>/<o>/<s>.json` lists the committed files; replacing it commits a batch. It lists
them with rows, size and checksum: the manifest, with which each build compares the files before it reads exactly those.
A noun is a kind of source,
`git` or `control`.
Keep out: the meaning of rows (`ingest.schemas`), their origin (connectors).

A killed run leaves files that no state lists. The next extraction of the source removes them, and so does the next
build. A build holds `Lake.reading` and commits wait for it, so no build sees part of a batch.
"""

from ingest.lake.lake import Lake
from ingest.lake.source import Source
from ingest.lake.state import SourceState

__all__ = ["Lake", "Source", "SourceState"]
