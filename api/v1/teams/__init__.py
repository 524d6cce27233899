"""Routes of teams: figures, the tree, members and leads."""
