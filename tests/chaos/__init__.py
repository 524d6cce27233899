"""Accidents at random: `python -m tests.chaos` damages files, kills runs, fills the disk and moves the clock.

A *round* plays one kind of accident (`accidents`) on a copy of a small deployment (`stage`), runs `eas analyze` again
(`runs`) and compares every published row (`verdicts`). `soak` lets one deployment live through days of accidents;
pytest collects two of them. Add: a kind of accident or of damage. Keep out: tests of single repairs
(tests/orchestration, tests/end_to_end).
"""
