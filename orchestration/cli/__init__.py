"""The command line `eas`: a module for each group of commands, and `program.py` that lists them.

Add: commands that parse arguments, call a function and print. Keep out: the work itself. A module is imported when one
of its commands runs (`late_commands`), so `eas --help` takes a fifth of a second; commands that need different things
are in different modules.
"""

from orchestration.cli.program import app, main

__all__ = ["app", "main"]
