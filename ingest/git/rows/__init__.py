"""Facts as rows of the raw tables."""
