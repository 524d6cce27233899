"""Pages of an organization's settings: how it counts, who is in it, its keys, its plan and its audit log."""
