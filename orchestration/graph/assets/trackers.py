"""Raw tables of `trackers`: issues, and what groups them, of one connection to an issue tracker."""

from orchestration.graph.assets.synced import sync_assets

NOUN = "trackers"
DESCRIPTIONS = {
    "items": "One row per version of an issue, epic, project, initiative, goal or milestone.",
    "deletions": "One row per item that no longer exists. Rewritten by every sweep.",
}

sync_trackers = sync_assets(NOUN, DESCRIPTIONS, versioned=("items",))
