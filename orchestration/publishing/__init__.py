"""Publishes a built warehouse: the snapshot for readers, and the steps after it."""
