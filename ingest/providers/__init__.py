"""Providers, one folder per vendor, and their registry. A vendor may have a Git host, a tracker, or several of each."""
