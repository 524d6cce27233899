"""Faults that engineers could make in the product, and whether the tests find each of them.

The list stands in `lists/`. `python -m tests.mutations` runs the tests on every fault; docs/mutations.md has the
results.
"""
