"""Control database, reads of the published snapshot, and HTTP under `/api/v1`.

Nothing here imports `orchestration` or Dagster, and of `ingest` only the leaf `ingest.probe`.
"""
