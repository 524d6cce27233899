"""Keeps erased people out of the lake: their marks as keyed hashes, and the pseudonyms that stand in their place.

The lake asks it about every row before it stores one. Keep out: which marks are a person's (`orchestration.people`),
files of the lake (`ingest.lake`).
"""
