"""Figures of the service itself, for its operator. No label names a tenant or a person."""
