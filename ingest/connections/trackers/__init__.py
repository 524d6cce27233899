"""What trackers share: their rows, and the meaning of names of statuses."""
