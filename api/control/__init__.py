"""What people decide: organizations, repositories and their flags, API tokens.

A leaf: no FastAPI, no reads of the published snapshot. `orchestration` may import it; open it with
`api.control.store.open_store`.
"""
