"""The rows that a caller may read: of an organization, of led teams, or of their own work."""
