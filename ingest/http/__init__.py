"""Requests to providers: one client, one loop over pages, and the meaning of answers that all have alike."""
