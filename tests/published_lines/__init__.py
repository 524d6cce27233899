"""Makes the index of lines that known libraries published (`ingest.git.published`), from a list of libraries.

Run by developers, not by users: `make published-lines` downloads what is missing, reads it and writes the index.
`libraries.toml` is the list. A new index changes facts, so raise `EXTRACTOR_VERSION` with it. Keep out: the search of
the index (`ingest.git.published`).
"""
