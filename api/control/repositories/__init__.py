"""Repositories: adding and changing them, their sync status and their removal."""
