"""Rules of the source that no linter has. A rule prints what it counts."""
