"""Rows of the raw tables, made from facts."""
