"""Leaves that runs need: progress, run state, partitions, the Dagster instance, locks, failures."""
