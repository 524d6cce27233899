"""Git hosts, one module per provider: repositories and pull requests. `ingest.providers` lists them."""
