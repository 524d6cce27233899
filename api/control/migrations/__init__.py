"""Alembic migrations of the control database, applied by `api.control.database.migrate`."""
