"""Connections to providers: their model, their rows, and the run over one. `ingest.providers` lists the providers."""
