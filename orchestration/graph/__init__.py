"""The Dagster graph: assets, checks, jobs, and what starts them."""
