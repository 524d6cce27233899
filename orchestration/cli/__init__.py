"""The command line `eas`: a module for each group of commands, and `program.py` that lists them.

Add: commands that parse arguments, call a function and print. Keep out: the work itself. Each command imports only
the modules it needs, so `eas --help` takes a fifth of a second and a command without work never imports Dagster.
"""

from orchestration.cli.program import app, main

__all__ = ["app", "main"]
