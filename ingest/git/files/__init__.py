"""Facts about a file as a whole: its role, its provenance and its Git attributes."""
