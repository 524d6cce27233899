"""Pages of what keeps the service going: connections to other systems, and the repositories that it reads."""
