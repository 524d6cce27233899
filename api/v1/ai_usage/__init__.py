"""Routes of the usage of AI tools."""
