"""Building the warehouse: settings copied into the lake, then dbt."""
