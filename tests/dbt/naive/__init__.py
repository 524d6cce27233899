"""The rules of the warehouse again, in plain Python loops."""
