"""Usage of AI tools: what it costs, and what it gave."""
