"""From a built warehouse to what readers get: the snapshot, and the steps after it."""
