"""The tables of the initial revision, one module a subject."""
