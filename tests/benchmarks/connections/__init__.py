"""The cost of connections: reading a large tracker and host from a loopback server, and building with their rows."""
