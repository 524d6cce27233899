"""Routes of connections: kinds, connections, health history, levels and teams of trackers."""
