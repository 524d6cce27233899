"""The tables of the initial revision, a module for related subjects."""
