"""Summaries of completed periods, with every text that was written. Keep out: writing texts (orchestration)."""
