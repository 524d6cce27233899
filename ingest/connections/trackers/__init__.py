"""Shared parts of trackers: their rows, and the meaning of names of statuses."""
