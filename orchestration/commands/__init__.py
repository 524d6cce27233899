"""The work of the commands: analyse, sync, remove, repair, serve."""
