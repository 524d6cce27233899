"""Remote repositories: their URLs, logins and clones, and the Git commands that talk to them."""
