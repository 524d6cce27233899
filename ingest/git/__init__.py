"""Facts of one Git repository: commits, changes, deliveries, line classes, removed lines, references."""
