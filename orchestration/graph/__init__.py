"""The Dagster graph: assets, checks, jobs, schedules and sensors."""
