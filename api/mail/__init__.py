"""Mail: letters, how they are composed, where they are handed in, and who does it while the service runs."""
