"""Windsurf: usage of a team by person, and seats."""
