"""Metrics over a range of days: of single entities, lists, time series and movements."""
