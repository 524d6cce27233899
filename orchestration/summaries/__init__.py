"""Summaries of completed periods: which are due, their facts, their texts, and what a later build restates."""
