"""Identity providers of an organization, and how its members may sign in."""
