"""Formats of a summary. Each renderer takes a document alone and escapes what its format gives a meaning to."""
