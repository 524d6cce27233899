"""Published builds, and the tables that the API caches of them."""
