"""Raw tables of `hosts`: repositories and pull requests of one connection to a Git host."""

from orchestration.graph.assets.synced import sync_assets

NOUN = "hosts"
DESCRIPTIONS = {
    "repositories": "One row per version of a repository that the connection reaches.",
    "pull_requests": "One row per version of a pull request: people, times, events and commits.",
    "deletions": "One row per repository or pull request that no longer exists. Rewritten by every sweep.",
}

sync_hosts = sync_assets(NOUN, DESCRIPTIONS, versioned=("repositories", "pull_requests"))
