"""Routes of pull requests."""
