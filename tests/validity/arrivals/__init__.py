"""Imports against judged arrivals of code."""
