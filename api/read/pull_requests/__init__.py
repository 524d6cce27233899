"""Reads of pull requests: the list, one of them explained, and figures over several."""
