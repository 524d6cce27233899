"""Issue trackers, one module per provider: items of three levels. `ingest.providers` lists them."""
