"""The dashboard: pages that the server draws from the reads of `/api/v1`, for a browser that may run no script.

A page asks for its figures as the person whose session the browser's cookie holds, so it shows what `/api/v1` answers
that person. Keep out: figures and permissions (read/, callers/), the interface for programs (v1/).
"""
