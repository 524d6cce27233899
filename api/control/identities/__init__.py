"""Developers: merges and splits of identities, and the attributes that people enter."""
