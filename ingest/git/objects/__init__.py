"""Objects of a repository: how it is opened, and commits, trees, refs and contents read from it."""
