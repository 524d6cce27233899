"""Routes of repositories: figures, settings, adding and removing."""
