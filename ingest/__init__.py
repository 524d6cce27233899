"""Extraction: it reads the outside world and writes raw Parquet facts.

Plain Python, callable from a REPL. Nothing here imports `api`, `orchestration`, Dagster or dbt.
"""
