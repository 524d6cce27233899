"""Many days of one deployment: `python -m tests.chaos.soak --days 24`.

A day has deliveries in three repositories (`deliveries`), decisions and telemetry over the API (`decisions`), readers
without pause (`asking`), a night with accidents (`nights`), and its verdicts: nothing acknowledged is lost, each answer
is of one build, the figures are those of a fresh analysis (`oracle`), and files, processes and memory do not pile up
(`footprint`). Keep out: accidents of one round on a fresh copy (tests/chaos).
"""
