"""Connections to Git hosts, issue trackers and model endpoints: secrets, health, what they list, levels and teams."""
