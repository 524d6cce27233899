"""Work without ETV, by reason."""
