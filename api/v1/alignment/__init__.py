"""Routes of objectives and issues."""
