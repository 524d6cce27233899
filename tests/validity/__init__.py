"""Validity: whether the product's numbers agree with labels that people or other records gave to the same changes.

`python -m tests.validity --data FOLDER` measures every claim and writes a report. A module per claim, listed in
`suite.CLAIMS`; each takes its figures from a warehouse that the product itself built. Labelled rows stay outside the
project.
"""
