"""Invented organizations, histories and scenarios, and the lake that holds them."""
