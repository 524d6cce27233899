"""Anthropic: usage, cost and activity of an organization."""
