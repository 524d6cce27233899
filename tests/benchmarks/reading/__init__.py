"""Extraction beside Git and other tools."""
