"""`…/summaries`: texts about completed periods, and drafts of running ones."""
