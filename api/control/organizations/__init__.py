"""Organizations: creation, names and settings."""
