"""Evidence of AI assistance against labelled commits."""
