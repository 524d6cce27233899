"""Routes of developers: figures, attributes, merges and splits."""
