"""Benchmarks: saved groups whose figures others are compared with."""
