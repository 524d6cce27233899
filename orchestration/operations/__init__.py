"""What people asked for: which changes a build includes, and what became of each."""
