"""The report of `eas analyze`: figures of the published snapshot, and their tables on a terminal."""
