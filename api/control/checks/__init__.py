"""Checks: the settings of kinds, and decisions about occurrences. Keep out: occurrences (the warehouse finds them)."""
