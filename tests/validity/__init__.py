"""Validity: agreement of the product's figures with labels of people or other records for the same changes.

`python -m tests.validity --data FOLDER` measures every claim and writes a report. Each claim has a module,
listed in `suite.CLAIMS`, and reads its figures from a warehouse that the product built. Labelled rows stay outside the
project.
"""
