"""The pages of work: pull requests, objectives, checks and teams.

Keep out: money (money/), what keeps the service going (running/, settings/).
"""
