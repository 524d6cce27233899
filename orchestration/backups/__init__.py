"""Backups of a deployment: a folder with what nothing can make again and what serves the same figures, and its return.

Add: a file of the deployment that a restored service needs. Keep out: what the next run makes again (warehouse, clones,
dbt's and Dagster's files), repairs (`commands.repairs`).
"""
