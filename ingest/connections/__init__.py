"""Connections to providers: their model, their rows, and the run over one. Providers are in `ingest.providers`."""
