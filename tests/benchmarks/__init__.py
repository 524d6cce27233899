"""Benchmarks of the service's promises about speed, memory and agreement with Git.

`python -m tests.benchmarks.bench` prints every figure with its bar. Tests of behaviour do not belong here.
"""
