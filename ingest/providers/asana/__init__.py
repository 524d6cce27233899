"""Asana."""
