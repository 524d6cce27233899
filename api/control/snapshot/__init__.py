"""The rows of the control database that the warehouse reads."""
