"""Changes that a later build applies, and how changed rules restate the totals."""
