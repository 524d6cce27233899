"""Modules that runs use: progress, run state, partitions, the Dagster instance, locks and failures."""
