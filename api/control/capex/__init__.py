"""CapEx policies, closed months and the restatements of closed months."""
