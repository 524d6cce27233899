"""Runs extraction, builds and publishing: the Dagster definitions and the command line `eas`."""
