"""Routes outside of `/api/v1` and `/auth`: the first page, the documentation and the health probes."""
