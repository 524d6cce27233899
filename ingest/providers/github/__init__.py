"""GitHub: pull requests and issues."""
