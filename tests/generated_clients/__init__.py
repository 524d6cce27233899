"""Clients that public generators make from the OpenAPI document: one in Python, one in TypeScript.

Each reads every list of an organization and prints what it got. Keep out: comparisons (tests).
"""
