"""Connections to Git hosts and issue trackers: secrets, health, what they list, levels and teams."""
