"""Builds the warehouse: copies the settings into the lake, then runs dbt."""
