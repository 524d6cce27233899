"""A synthetic organization's raw lake, for timing builds at a size that no single public repository has.

Deterministic by seed, with the heavy tails of real histories. The values are made up; the shapes (which sha
stands where, what adds up to what) follow the raw schemas.
"""
