"""Reads repositories and connections: opening, the pool of readings, one sync, and the record of its outcome."""
