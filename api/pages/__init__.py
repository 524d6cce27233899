"""Routes outside of `/api/v1` and `/auth`: the documentation page and the health probes."""
