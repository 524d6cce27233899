"""Decisions of people: organizations, their people and roles, repositories and teams, API keys, and the log of it all.

A leaf: no FastAPI, no reads of the published snapshot. `orchestration` may import it; open it with
`api.control.store.open_store`.
"""
