"""The operator of a deployment: its kind, its license, and the keys that may sign for it."""
