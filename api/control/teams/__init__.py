"""Teams, their members and their leads."""
