"""What `eas analyze` prints: figures of the published snapshot, then how they look."""
