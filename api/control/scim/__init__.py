"""Directory provisioning: the tokens of directories."""
