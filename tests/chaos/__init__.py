"""Accidents at random: `python -m tests.chaos` damages files and kills runs, and looks at the figures afterwards.

pytest collects nothing here. Add: a kind of accident. Keep out: tests of single repairs (tests/orchestration).
"""
