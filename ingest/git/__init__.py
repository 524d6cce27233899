"""Facts of one Git repository: commits, changes, deliveries, line classes, deaths, references."""
