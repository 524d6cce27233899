"""Latency of the API over a synthetic organization."""
