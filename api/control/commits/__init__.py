"""Decisions about commits: exclusions, categories, import bursts, corrections and reanalyses."""
