"""Reads of objectives, issues and the chains from commits to them."""
