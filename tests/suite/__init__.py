"""How the suite runs: what belongs to which command, in which order, and how long it may take."""
