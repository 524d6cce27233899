"""Benchmarks: figures of many developers, repositories or teams as one, beside lists and time series."""
