"""Benchmarks: what the service promises about speed, memory and agreement with Git, measured.

`python -m tests.benchmarks.bench` prints every figure with its bar. Tests of behaviour do not belong here.
"""
