"""The outside world turned into raw Parquet facts.

Plain Python, callable from a REPL. Nothing here imports `api`, `orchestration`, Dagster or dbt.
"""
