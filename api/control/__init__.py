"""Decisions of people: organizations, their people and roles, repositories and teams, API keys, and the log of it all.

A leaf: no FastAPI, no reads of the published snapshot. `orchestration` may import it; open it with
`api.control.store.open_store`. The subjects are packages; what all of them need, from the store to rights and lists,
stands here, and its layers are in pyproject.toml. That is why the folder has more modules than others.
"""
