"""GitLab: merge requests and issues."""
