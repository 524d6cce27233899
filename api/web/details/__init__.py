"""Pages of one thing: a commit, a developer, a repository, and what is usual.

Keep out: lists (pages/, work/), forms that change settings (running/, settings/).
"""
