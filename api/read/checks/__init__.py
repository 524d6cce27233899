"""Occurrences of checks, and what other thresholds would have found."""
